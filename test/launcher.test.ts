import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const launcher = `${root}bin/kay.js`;
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kay-launcher-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const flag of ["--version", "-V", "version"]) {
  test(`kay ${flag} prints the version of package.json`, async () => {
    expect(await launch([flag])).toEqual({ exit: 0, stdout: `${version}\n`, stderr: "" });
  });
}

test("S02 --version answers without the bundle and without node_modules", async () => {
  const copy = emptyPackage();
  expect(await launch(["--version"], { launcher: copy })).toEqual({ exit: 0, stdout: `${version}\n`, stderr: "" });
});

test("the file that every command loads has no schema library, which would cost each start a tenth of its time", () => {
  expect(readFileSync(`${root}dist/main.js`, "utf8")).not.toContain("_zod.traits");
});

test("that file loads no large module of Node's, which would cost each start some milliseconds", async () => {
  const program = `require(${JSON.stringify(`${root}dist/main.js`)}); console.log(process.moduleLoadList.join("\\n"))`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", program]);
  const large = ["child_process", "fs/promises", "http", "https", "tls", "worker_threads"];
  expect(large.filter((name) => stdout.split("\n").includes(`NativeModule ${name}`))).toEqual([]);
});

test("the schemas of most answers come without the generator of JSON Schema (28 kB)", () => {
  const chunks = readChunks("connections");
  expect(chunks).not.toEqual([]);
  for (const chunk of chunks) expect(chunk).not.toContain("json-schema.org");
});

test("a session draws its first frame without the schema library (9 ms)", () => {
  const chunks = readChunks("ink");
  expect(chunks).not.toEqual([]);
  for (const chunk of chunks)
    expect([...chunk.matchAll(/from'([^']+)'/g)].map(([, file]) => file)).toEqual(["../main.js"]);
});

test("a checkout without a build says how to build it", async () => {
  const copy = emptyPackage();
  expect(await launch(["connections"], { launcher: copy })).toEqual({
    exit: 1,
    stdout: "",
    stderr: "✗ kay is not built here.\n  Run `npm run build`.\n",
  });
});

/** The chunks of the current build that begin with a name. */
function readChunks(name: string): string[] {
  const mark = readFileSync(`${root}dist/built-from`, "utf8").slice(0, 8);
  const files = readdirSync(`${root}dist/chunks`).filter((file) => new RegExp(`^${name}-.*-${mark}`).test(file));
  return files.map((file) => readFileSync(`${root}dist/chunks/${file}`, "utf8"));
}

const oddHomes: Record<string, Record<string, string>> = {
  "no variable but PATH": {},
  "HOME=/": { HOME: "/" },
  "a home that takes no folders": { HOME: "/proc" },
  "HOME=/nonexistent": { HOME: "/nonexistent" },
  "a relative XDG_CACHE_HOME": { HOME: "/nonexistent", XDG_CACHE_HOME: "cache" },
};
for (const [name, env] of Object.entries(oddHomes)) {
  for (const flag of ["--version", "--help"]) {
    test(`S14 kay ${flag} with ${name} exits 0 and writes nothing`, async () => {
      const cwd = mkdtempSync(join(folder, "cwd-"));
      const { exit, stderr } = await launch([flag], { env, cwd });
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      expect([readdirSync(cwd), ["/nonexistent", "/.cache", "/.config"].filter(existsSync)]).toEqual([[], []]);
    });
  }
}

test("S14 kay --help writes nothing into a home either", async () => {
  const home = mkdtempSync(join(folder, "home-"));
  expect((await launch(["--help"], { env: { HOME: home } })).exit).toBe(0);
  expect(readdirSync(home)).toEqual([]);
});

test("S14 kay --help in a home that is not writable exits 0", async () => {
  const home = join(folder, "file-as-home");
  writeFileSync(home, "");
  expect((await launch(["--help"], { env: { HOME: home } })).exit).toBe(0);
});

test("the exit code is that of main, and the arguments arrive as typed", async () => {
  const copy = packageWithMain(`export const main = async (args) => { console.log(JSON.stringify(args)); return 8; };`);
  expect(await launch(["ask", "--", "a b", "", "--version"], { launcher: copy })).toEqual({
    exit: 8,
    stdout: `["ask","--","a b","","--version"]\n`,
    stderr: "",
  });
});

test("an error that main did not report ends with its trace and exit 1, without the minified source", async () => {
  const copy = packageWithMain("export const main = async () => { throw new Error('out of order'); };");
  const { exit, stdout, stderr } = await launch(["whoami"], { launcher: copy });
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(stderr).toMatch(/^✗ kay failed unexpectedly\. Error: out of order\n {4}at (Module\.)?main /);
});

test("compiled code is stored in the user's own cache folder", async () => {
  const home = mkdtempSync(join(folder, "home-"));
  const copy = packageWithMain("export const main = async () => 0;");
  await launch(["whoami"], { launcher: copy, env: { HOME: home } });
  expect(readdirSync(join(home, ".cache", "kay"))).toEqual(["compiled"]);
});

test("an XDG_CACHE_HOME that exists is used instead", async () => {
  const home = mkdtempSync(join(folder, "home-"));
  const cache = mkdtempSync(join(folder, "cache-"));
  const copy = packageWithMain("export const main = async () => 0;");
  await launch(["whoami"], { launcher: copy, env: { HOME: home, XDG_CACHE_HOME: cache } });
  expect([readdirSync(home), readdirSync(cache)]).toEqual([[], ["kay"]]);
});

test("an older Node without the pinned one says which version is needed", async () => {
  const copy = packageWithMain("export const main = async () => 0;", ">=999.1");
  expect(await launch(["whoami"], { launcher: copy })).toEqual({
    exit: 1,
    stdout: "",
    stderr: `✗ kay needs Node >=999.1; this is ${process.versions.node}.\n`,
  });
});

test("an older Node passes arguments, exit code and streams to the pinned one", async () => {
  const copy = packageWithMain("export const main = async () => 0;", ">=999.1");
  standIn(copy, `#!/bin/sh\nshift\necho "$@"\necho trouble >&2\nexit 5\n`);
  expect(await launch(["ask", "a b"], { launcher: copy })).toEqual({
    exit: 5,
    stdout: "ask a b\n",
    stderr: "trouble\n",
  });
});

test("SIGTERM reaches the kay that runs on the pinned Node", async () => {
  const copy = packageWithMain("export const main = async () => 0;", ">=999.1");
  standIn(copy, `#!/bin/sh\ntrap 'exit 143' TERM\nkill -TERM $PPID\nfor _ in $(seq 100); do sleep 0.05; done\n`);
  expect(await launch(["ask"], { launcher: copy })).toEqual({ exit: 143, stdout: "", stderr: "" });
});

test("the launcher uses nothing newer than ES2015, so that an old Node reaches its message", () => {
  const source = readFileSync(launcher, "utf8");
  expect(source.match(/\?\.|\?\?|\basync\b|\bawait\b|\bimport\b|\.\.\.|require\("node:|catch \{/g)).toBeNull();
});

type Options = { launcher?: string; env?: Record<string, string>; cwd?: string };

/** Runs the launcher with only PATH and `env` as its environment. */
function launch(args: string[], options: Options = {}): Promise<{ exit: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH ?? "", ...options.env };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [options.launcher ?? launcher, ...args],
      { env, cwd: options.cwd },
      (error, stdout, stderr) => {
        resolve({ exit: error ? Number(error.code) : 0, stdout, stderr });
      },
    );
  });
}

/** A copy of the package, as npm would install it, with this as its bundle. */
function packageWithMain(main: string, engines = ">=22.19"): string {
  const copy = emptyPackage();
  const manifest = {
    ...JSON.parse(readFileSync(join(copy, "../..", "package.json"), "utf8")),
    engines: { node: engines },
  };
  writeFileSync(join(copy, "../..", "package.json"), JSON.stringify(manifest));
  mkdirSync(join(copy, "../..", "dist"));
  writeFileSync(join(copy, "../..", "dist/main.js"), main);
  return copy;
}

/** What npm would install, not built. */
function emptyPackage(): string {
  const copy = mkdtempSync(join(folder, "package-"));
  cpSync(`${root}bin`, join(copy, "bin"), { recursive: true });
  cpSync(`${root}package.json`, join(copy, "package.json"));
  return join(copy, "bin", "kay.js");
}

/** A shell script in the place of the pinned Node. */
function standIn(copy: string, script: string) {
  const bin = join(copy, "../..", "node_modules/node/bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "node"), script, { mode: 0o755 });
}
