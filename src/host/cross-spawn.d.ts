/** The package has no types, and third-party types lag behind. It is used in two ways only. */
declare module "cross-spawn" {
  import type { ChildProcess, ChildProcessWithoutNullStreams, SpawnOptions } from "node:child_process";

  export default function spawn(
    program: string,
    args: readonly string[],
    options: SpawnOptions & { stdio: "pipe" },
  ): ChildProcessWithoutNullStreams;
  export default function spawn(program: string, args: readonly string[], options: SpawnOptions): ChildProcess;
}
