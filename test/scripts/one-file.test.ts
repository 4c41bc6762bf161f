import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { startFromOneFile } from "../../scripts/one-file.ts";

const SOURCES = {
  "main.js": `import { count, name } from "./counter.js"; import "./effect.js"; import { shout } from "./shout.js";
    export const start = async () => { count(); const late = await import("./late.js"); const other = await import("./other.js");
      return [shout(name), late.run(), other.default(), globalThis.effects]; };`,
  "late.js": `import { count, name } from "./counter.js"; import { shout } from "./shout.js"; import { only } from "./only-late.js";
    export const run = () => [count(), shout(name), only];`,
  "other.js": `import count, { name } from "./counter.js"; import "./effect.js"; import { only } from "./only-late.js";
    export default () => [count(), name, only];`,
  "counter.js": `let at = 0; export const count = () => ++at; export default count; export const name = "kay";`,
  "shout.js": `export const shout = (text) => text.toUpperCase() + "!";`,
  "effect.js": "globalThis.effects = (globalThis.effects ?? 0) + 1;",
  "only-late.js": `export const only = "late";`,
};

/** Builds these files like kay, with each shared module in a chunk. */
async function fixture(sources: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), "kay-one-file-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  const folder = join(root, "dist");
  const { metafile } = await build({
    entryPoints: [join(root, "main.js")],
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    metafile: true,
    chunkNames: "chunks/[name]-[hash]",
    absWorkingDir: root,
  });
  return { root, folder, outputs: metafile.outputs };
}

test("the start loads one file; later chunks share its modules, which run once", async () => {
  const { root, folder, outputs } = await fixture(SOURCES);
  const chunkCount = readdirSync(join(folder, "chunks")).length;
  await startFromOneFile(folder, outputs, root);
  const names = readdirSync(join(folder, "chunks")).map((name) => name.split("-")[0]);
  expect({ fewer: names.length < chunkCount, names: names.sort() }).toEqual({
    fewer: true,
    names: ["chunk", "late", "other"],
  });
  const { start } = await import(join(folder, "main.js"));
  expect(await start()).toEqual(["KAY!", [2, "KAY!", "late"], [3, "kay", "late"], 1]);
});

test("an import without an export stops the build", async () => {
  const { root, folder, outputs } = await fixture(SOURCES);
  const late = readdirSync(join(folder, "chunks")).find((name) => name.startsWith("late")) ?? "";
  const chunk = outputs["dist/main.js"]?.imports.find(({ kind }) => kind === "import-statement")?.path ?? "";
  writeFileSync(join(folder, "chunks", late), `import { gone } from "./${chunk.split("/").at(-1)}"; gone();`);
  await expect(startFromOneFile(folder, outputs, root)).rejects.toThrow(/"gone" is not exported/);
});

test("a late chunk may be one file as well, and uses the start's modules", async () => {
  const { root, folder, outputs } = await fixture({
    ...SOURCES,
    "main.js": `import { count, name } from "./counter.js"; export const start = async () => {
      count(); return [name, (await import("./late.js")).run(), (await import("./other.js")).default()]; };`,
    "effect.js": "",
  });
  await startFromOneFile(folder, outputs, root, ["late.js"]);
  const names = readdirSync(join(folder, "chunks")).map((name) => name.split("-")[0]);
  expect(names.sort()).toEqual(["late", "other"]);
  const { start } = await import(join(folder, "main.js"));
  expect(await start()).toEqual(["kay", [2, "KAY!", "late"], [3, "kay", "late"]]);
});

test("a late chunk that nothing loads stops the build", async () => {
  const { root, folder, outputs } = await fixture(SOURCES);
  await expect(startFromOneFile(folder, outputs, root, ["nowhere.js"])).rejects.toThrow(
    "Nothing loads nowhere.js late.",
  );
});
