import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./child.mjs";
import { billOfMaterials, thirdPartyLicenses } from "./licenses.ts";
import { runLocked } from "./lock.mjs";
import { startFromOneFile } from "./one-file.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const dist = `${root}dist`;
const inputs = [
  "src/**/*",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsup.config.ts",
  "scripts/*.ts",
  "scripts/licenses/*",
];
const day = 24 * 60 * 60 * 1000;

/**
 * Builds `dist` unless it was built from exactly these sources. If several processes ask at once, one builds and the others wait.
 *
 * @returns the exit code, 0 if there is a current build
 */
export async function build(): Promise<number> {
  if (isCurrent(fingerprint())) return 0;
  return runLocked(`${root}.kay/build.lock`, async () => {
    const current = fingerprint();
    if (isCurrent(current)) return 0;
    const fresh = `${root}.kay/build`;
    rmSync(fresh, { recursive: true, force: true });
    const code = await run(process.execPath, [`${root}node_modules/tsup/dist/cli-default.js`, "--out-dir", fresh], {
      cwd: root,
      env: { ...process.env, BUILD_MARK: current.slice(0, 8) },
    });
    if (code !== 0) return code;
    await finish(fresh, current);
    publish(fresh, current.slice(0, 8));
    return 0;
  });
}

const isCurrent = (current: string) =>
  existsSync(`${dist}/main.js`) &&
  existsSync(`${dist}/built-from`) &&
  readFileSync(`${dist}/built-from`, "utf8") === current;

/** A hash over names and contents, so that times of files (a fresh clone, a switched branch) do not matter. */
function fingerprint(): string {
  const hash = createHash("sha256");
  for (const file of inputs.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()) {
    if (statSync(root + file).isFile())
      hash
        .update(`${file}\0`)
        .update(readFileSync(root + file))
        .update("\0");
  }
  return hash.digest("hex");
}

async function finish(folder: string, current: string) {
  const { schemas } = await import("./schemas.ts");
  mkdirSync(`${folder}/schemas`, { recursive: true });
  for (const [name, schema] of Object.entries(await schemas()))
    writeFileSync(`${folder}/schemas/${name}`, `${JSON.stringify(schema, null, 2)}\n`);
  const metafile = `${folder}/metafile-esm.json`;
  writeFileSync(`${folder}/THIRD_PARTY_LICENSES.txt`, thirdPartyLicenses(root, metafile));
  writeFileSync(`${folder}/sbom.cdx.json`, `${JSON.stringify(billOfMaterials(root, metafile), null, 2)}\n`);
  const { outputs } = JSON.parse(readFileSync(metafile, "utf8"));
  const later = ["src/protocol/connections.ts", "src/cli/session/ink.ts"];
  await startFromOneFile(folder, outputs, root, later, `-${current.slice(0, 8)}`);
  rmSync(metafile);
  const { writeCommandFiles } = await import("./commands.ts");
  writeCommandFiles(folder);
  writeFileSync(`${folder}/built-from`, current);
}

/**
 * Lays the fresh files over the old ones, each by a rename and `main.js` after the chunks it names. Old chunks stay for a day: a kay that
 * is running may still load them, since chunks are loaded late and their names carry a hash of their contents. They go into no package.
 */
function publish(fresh: string, mark: string) {
  const files = filesBelow(fresh).sort((a, b) => b.split("/").length - a.split("/").length);
  for (const file of files) move(`${fresh}/${file}`, `${dist}/${file}`);
  rmSync(fresh, { recursive: true, force: true });
  const old = filesBelow(dist).filter((file) => !files.includes(file) && file !== IGNORE);
  const recent = old.filter(
    (file) => file.startsWith("chunks/") && Date.now() - statSync(`${dist}/${file}`).mtimeMs < day,
  );
  for (const file of old) if (!recent.includes(file)) rmSync(`${dist}/${file}`);
  // Names of chunks end with the mark of their build. Thousands of names would take npm minutes.
  writeFileSync(`${dist}/${IGNORE}.new`, `/built-from\n/chunks/*\n!/chunks/*-${mark}.js\n`);
  renameSync(`${dist}/${IGNORE}.new`, `${dist}/${IGNORE}`);
}

/** Files of `dist` that npm leaves out of a package. */
const IGNORE = ".npmignore";

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1).replaceAll("\\", "/"));
}

function move(from: string, to: string) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
}
