import { rmSync } from "node:fs";
import { parse, resolve } from "node:path";
import { rollup } from "rollup";

type Output = { imports: { path: string; kind: string }[]; entryPoint?: string };

/**
 * Joins `main.js` and everything that it imports statically into one file, then each of `later` in the same way. esbuild makes
 * a chunk of each set of modules that the same entries share, so a start would read some twenty small files.
 *
 * @param folder the fresh build
 * @param outputs esbuild's metafile of it, by path from `root`
 * @param later modules that are loaded late, by path from `root`
 * @param mark part of the name of each new chunk
 * @throws Error when no chunk is made from a module of `later`
 */
export async function startFromOneFile(
  folder: string,
  outputs: Record<string, Output>,
  root: string,
  later: string[] = [],
  mark = "",
): Promise<void> {
  const all = new Map(Object.entries(outputs).map(([path, output]) => [resolve(root, path), output]));
  const listImports = (file: string, kinds: string[]) =>
    (all.get(file)?.imports ?? [])
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ path }) => resolve(root, path))
      .filter((path) => all.has(path));
  const groups = new Map<string, string>();
  for (const start of [resolve(folder, "main.js"), ...later.map((module) => findChunk(all, root, module))])
    for (const file of reach(start, (each) => listImports(each, ["import-statement"])))
      if (!groups.has(file)) groups.set(file, parse(start).name);
  // Other chunks stay unchanged, because Rollup would take seconds to parse the language model.
  const listAll = (file: string) => listImports(file, ["import-statement", "dynamic-import"]);
  const joined = [...all.keys()].filter((file) => [...reach(file, listAll)].some((each) => groups.has(each)));
  const bundle = await rollup({
    input: resolve(folder, "main.js"),
    external: (id, _importer, isResolved) => isResolved && !joined.includes(id),
    treeshake: false,
    preserveEntrySignatures: "allow-extension",
    onwarn: ({ message }) => {
      throw new Error(message);
    },
  });
  for (const file of joined) rmSync(file);
  await bundle.write({
    dir: folder,
    compact: true,
    generatedCode: "es2015",
    manualChunks: (id) => groups.get(id),
    chunkFileNames: ({ name }) => `chunks/${name.replace(/(-[A-Z\d]{8}.*)?$/, "")}-[hash]${mark}.js`,
  });
  await bundle.close();
}

/** Returns the chunk that is made from a module. */
function findChunk(all: Map<string, Output>, root: string, module: string): string {
  const found = [...all].find(
    ([, { entryPoint }]) => entryPoint && resolve(root, entryPoint) === resolve(root, module),
  );
  if (!found) throw new Error(`Nothing loads ${module} late.`);
  return found[0];
}

/** Returns a file and everything that it imports. */
function reach(start: string, findNext: (file: string) => string[]): Set<string> {
  const found = new Set([start]);
  for (const file of found) for (const next of findNext(file)) found.add(next);
  return found;
}
