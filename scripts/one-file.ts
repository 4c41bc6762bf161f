import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { build } from "esbuild";

type Output = { imports: { path: string; kind: string }[]; exports: string[]; entryPoint?: string };

/**
 * Puts `main.js` and the chunks that it imports, and they import, into one file; then each of `later` with its own in the same way. esbuild
 * makes a chunk of each set of modules that the same entries share, so without this a start reads some twenty small files (a quarter of
 * `kay --help`), and the way to a backend seventeen more. Chunks that are loaded by others get what they need of these from the whole file.
 *
 * @param folder the fresh build
 * @param outputs esbuild's account of it, by path from `root`
 * @param later modules that are loaded late, by path from `root`; what an earlier one has stays there
 * @throws when a chunk is used in a way that is not known here
 */
export async function startFromOneFile(
  folder: string,
  outputs: Record<string, Output>,
  root: string,
  later: string[] = [],
): Promise<void> {
  const all = new Map(Object.entries(outputs).map(([path, output]) => [resolve(root, path), output]));
  await intoOne(resolve(folder, "main.js"), all, root);
  for (const module of later) {
    const found = [...all].find(
      ([, { entryPoint }]) => entryPoint && resolve(root, entryPoint) === resolve(root, module),
    );
    if (!found) throw new Error(`Nothing loads ${module} late.`);
    await intoOne(found[0], all, root);
  }
}

/** Afterwards `all` knows only the files that are left, and `whole` imports nothing that is merged. */
async function intoOne(whole: string, all: Map<string, Output>, root: string): Promise<void> {
  const merged = closure(whole, all, root);
  merged.delete(whole);
  const folder = dirname(whole);
  const lines = [...merged].map((path) => exportAll(path, folder, all.get(path)?.exports ?? []));
  const { outputFiles } = await build({
    stdin: { contents: `export * from "./${basename(whole)}";${lines.join("")}`, resolveDir: folder },
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
            return merged.has(file) || file === whole ? undefined : { path: pathTo(file, folder), external: true };
          });
        },
      },
    ],
  });
  writeFileSync(whole, outputFiles[0]?.contents ?? "");
  for (const path of merged) {
    rmSync(path);
    all.delete(path);
  }
  for (const path of all.keys()) {
    if (path !== whole && existsSync(path))
      writeFileSync(path, fromWhole(readFileSync(path, "utf8"), path, whole, merged));
  }
}

function pathTo(file: string, folder: string): string {
  const path = relative(folder, file);
  return path.startsWith(".") ? path : `./${path}`;
}

/** A chunk that runs with another is imported by a statement, from it or from another such chunk. What is in another whole file is gone. */
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
  return `export{${list.join(",")}}from"${pathTo(path, folder)}";`;
}

/** The name under which the whole file has what a chunk exports. */
function nameIn(chunk: string, name: string): string {
  return `${basename(chunk, ".js").replaceAll(/\W/g, "_")}$${name}`;
}

/** Rewrites the imports of a chunk that stays: what it took from merged ones comes from the whole file. */
function fromWhole(code: string, file: string, whole: string, merged: Set<string>): string {
  const entry = pathTo(whole, dirname(file));
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
