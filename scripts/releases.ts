import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHome } from "#test/built/home";
import { npm, packKay } from "#test/built/npm";
import { untilAborted } from "#test/built/processes";
import { untilSignal } from "./until-signal.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

/** The oldest Node that kay supports, and the newest of each line; versions of npm's packages of Node. */
const RELEASES = ["22.19", "22", "24", "26"];

/**
 * Installs the packed kay with npm on each release of Node, from the usual registry, and runs its tour; on the first also without the
 * optional packages. Linux only.
 *
 * @param chosen releases instead of {@link RELEASES}
 * @returns the exit code, 0 if kay works on all of them
 */
export async function releases(chosen: string[]): Promise<number> {
  return await untilSignal((signal) => tryAll(chosen, signal));
}

async function tryAll(chosen: string[], signal: AbortSignal): Promise<number> {
  const packed = await packKay(signal);
  const work = mkdtempSync(join(tmpdir(), "kay-releases-"));
  const waiting = (chosen.length > 0 ? chosen : RELEASES).map((release, at) => ({ release, lean: at === 0 }));
  let failed = false;
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const faults = await tryOn(join(work, next.release), { ...next, tarball: packed.tarball, signal }).catch(
        (error: Error) => [error.message],
      );
      signal.throwIfAborted();
      for (const fault of faults) process.stderr.write(`✗ On Node ${next.release}: ${fault}\n`);
      failed ||= faults.length > 0;
    }
  };
  try {
    const ends = await Promise.allSettled([worker(), worker()]);
    signal.throwIfAborted();
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    return failed ? 1 : 0;
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
    packed.remove();
  }
}

/** Returns what fails on this release; nothing if it works. */
async function tryOn(
  folder: string,
  { release, lean, tarball, signal }: { release: string; lean: boolean; tarball: string; signal: AbortSignal },
): Promise<string[]> {
  mkdirSync(folder);
  const platform = `node-linux-${process.arch}`;
  await npm(["install", "--prefix", folder, `${platform}@${release}`], { cwd: folder, registry: "usual", signal });
  const node = join(folder, "node_modules", platform);
  process.stdout.write(
    `kay on Node ${JSON.parse(readFileSync(join(node, "package.json"), "utf8")).version.replace(/^v/, "")}\n`,
  );
  const install = (...args: string[]) =>
    npm(["install", ...args, tarball], { cwd: folder, registry: "usual", node: join(node, "bin"), signal });
  await install("--global", "--prefix", join(folder, "whole"));
  const faults = await drive(join(folder, "whole/bin/kay"), { node: join(node, "bin"), step: TOUR, signal });
  if (!lean) return faults;
  await install("--prefix", join(folder, "lean"), "--ignore-scripts", "--omit=optional");
  return [
    ...faults,
    ...(await drive(join(folder, "lean/node_modules/.bin/kay"), { node: join(node, "bin"), step: LEAN, signal })),
  ];
}

type Step = { args: string[]; exit: number; says: RegExp };

const TOUR: Step = { args: ["try", "--no-input"], exit: 0, says: /Created KAY-\d+: Say hello from kay/ };
const LEAN: Step = {
  args: ["connect", "jira"],
  exit: 1,
  says: /Install kay again with npm's option `--include=optional`/,
};

/** In a separate home: commands that write nothing there, and one step. */
async function drive(
  program: string,
  { node, step, signal }: { node: string; step: Step; signal: AbortSignal },
): Promise<string[]> {
  const { args, exit, says } = step;
  const { home, close } = createHome({ PATH: `${node}:/usr/bin:/bin` });
  const run = (...words: string[]) => untilAborted(home.run(words, { program, limitMs: 120_000 }), signal);
  try {
    const told = await run("--version");
    const help = await run("--help");
    const wrote =
      readdirSync(join(home.folder, "home")).length > 0 || existsSync(home.state) || existsSync(home.config);
    const done = await run(...args);
    return [
      ...(told.stdout === `${version}\n` ? [] : [`--version said ${JSON.stringify(told)}`]),
      ...(help.exit === 0 && help.stdout.includes("connections") ? [] : [`--help said ${JSON.stringify(help)}`]),
      ...(wrote ? ["--version or --help wrote something"] : []),
      ...(done.exit === exit && says.test(done.stdout + done.stderr)
        ? []
        : [`kay ${args.join(" ")} ended with ${done.exit}: ${done.stdout}${done.stderr}`]),
    ];
  } finally {
    await close();
  }
}
