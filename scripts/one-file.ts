import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { build } from "esbuild";

type Output = { imports: { path: string; kind: string }[]; exports: string[] };

/**
 * Puts `main.js` and the chunks that it imports, and they import, into one file. esbuild makes a chunk of each set of modules that the same
 * entries share, so without this a start reads some twenty small files (a quarter of `kay --help`). Chunks that are loaded later get
 * what they need of these from `main.js`, which runs by then.
 *
 * @param folder the fresh build
 * @param outputs esbuild's account of it, by path from `root`
 * @throws when a chunk is used in a way that is not known here
 */
export async function startFromOneFile(folder: string, outputs: Record<string, Output>, root: string): Promise<void> {
  const all = new Map(Object.entries(outputs).map(([path, output]) => [resolve(root, path), output]));
  const main = resolve(folder, "main.js");
  const merged = closure(main, all, root);
  merged.delete(main);
  const lines = [...merged].map((path) => exportAll(path, folder, all.get(path)?.exports ?? []));
  const { outputFiles } = await build({
    stdin: { contents: `export * from "./main.js";${lines.join("")}`, resolveDir: folder },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node22",
    legalComments: "none",
    plugins: [
      {
        name: "later",
        setup: ({ onResolve }) => {
          onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
            const file = resolve(resolveDir, path);
            return merged.has(file) || file === main
              ? undefined
              : { path: `./${relative(folder, file)}`, external: true };
          });
        },
      },
    ],
  });
  writeFileSync(main, outputFiles[0]?.contents ?? "");
  for (const path of merged) rmSync(path);
  for (const path of all.keys()) {
    if (path !== main && existsSync(path))
      writeFileSync(path, fromMain(readFileSync(path, "utf8"), path, main, merged));
  }
}

/** A chunk that runs at the start is imported by a statement, from `main.js` or from another such chunk. */
function closure(start: string, all: Map<string, Output>, root: string): Set<string> {
  const found = new Set([start]);
  for (const path of found) {
    const imports = all.get(path)?.imports ?? [];
    for (const { path: to, kind } of imports)
      if (kind === "import-statement" && all.has(resolve(root, to))) found.add(resolve(root, to));
  }
  return found;
}

function exportAll(path: string, folder: string, names: string[]): string {
  const list = names.map((name) => `${name} as ${nameIn(path, name)}`);
  return `export{${list.join(",")}}from"./${relative(folder, path)}";`;
}

/** The name under which `main.js` has what a chunk exports. */
function nameIn(chunk: string, name: string): string {
  return `${basename(chunk, ".js").replaceAll(/\W/g, "_")}$${name}`;
}

/** Rewrites the imports of a chunk that stays: what it took from merged ones comes from `main.js`. */
function fromMain(code: string, file: string, main: string, merged: Set<string>): string {
  const entry = relative(dirname(file), main);
  const chunkOf = (path: string) =>
    merged.has(resolve(dirname(file), path)) ? resolve(dirname(file), path) : undefined;
  const rest = code.replaceAll(
    /\b(import|export)(?:\{([^{}"]*)\}from)?"(\.{1,2}\/[^"]+)"/g,
    (whole, verb: string, names: string | undefined, path: string) => {
      const chunk = chunkOf(path);
      if (!chunk) return whole;
      return names === undefined ? `import"${entry}"` : `${verb}{${renamed(names, chunk)}}from"${entry}"`;
    },
  );
  const left = [...merged].find((path) => rest.includes(`/${basename(path)}"`));
  if (left) throw new Error(`${basename(file)} uses ${basename(left)} in a form that the build does not know.`);
  return rest;
}

function renamed(names: string, chunk: string): string {
  return names
    .split(",")
    .filter((each) => each.trim())
    .map((each) => {
      const [name = "", local = name] = each.trim().split(/\s+as\s+/);
      return `${nameIn(chunk, name)} as ${local}`;
    })
    .join(",");
}
