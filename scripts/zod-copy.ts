import { readFileSync } from "node:fs";
import type { Options } from "tsup";

type EsbuildPlugin = NonNullable<Options["esbuildPlugins"]>[number];

const suffix = "?of-packages";

/**
 * Gives packages that use zod (the AI SDK) a separate copy. They use all of it, loaded late; kay's own rooms use a
 * sixth of it at every start. esbuild shakes a module once for all chunks, so with one copy every start would load what
 * only the packages need (400 KB).
 */
export const zodCopy: EsbuildPlugin = {
  name: "zod-copy",
  setup(build) {
    build.onResolve({ filter: /^zod(\/|$)|^\.\.?\// }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      const starts = path.startsWith("zod") && /node_modules\/(?!zod\/)/.test(importer) && pluginData !== "resolve";
      if (!starts && pluginData !== suffix) return undefined;
      const resolved = await build.resolve(path, { kind, importer, resolveDir, pluginData: "resolve" });
      return { path: resolved.path, suffix, sideEffects: resolved.sideEffects, pluginData: suffix };
    });
    build.onLoad({ filter: /node_modules\/zod\// }, (file) =>
      file.suffix === suffix ? { contents: readFileSync(file.path), loader: "js", pluginData: suffix } : undefined,
    );
  },
};
