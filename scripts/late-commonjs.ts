import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { Options } from "tsup";

type EsbuildPlugin = NonNullable<Options["esbuildPlugins"]>[number];

/**
 * Makes `await import("undici")` of a CommonJS package return its names, as in Node. When esbuild splits, it returns
 * only `default`. The names are found by importing the package here.
 */
export const lateCommonJs: EsbuildPlugin = {
  name: "late-commonjs",
  setup(build) {
    build.onResolve({ filter: /^[^./#]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== "dynamic-import" || pluginData === "late-commonjs") return undefined;
      const resolved = await build.resolve(path, { kind, resolveDir, pluginData: "late-commonjs" });
      const names = isAbsolute(resolved.path) && !resolved.external ? await commonJsNames(resolved.path) : undefined;
      return names && { path: resolved.path, namespace: "late-commonjs", pluginData: names };
    });
    build.onLoad({ filter: /./, namespace: "late-commonjs" }, ({ path, pluginData }) => ({
      contents: `const all=require(${JSON.stringify(path)});export default all;export const {${pluginData.join(",")}}=all;`,
      resolveDir: process.cwd(),
    }));
  },
};

/** Undefined for an ES module. Only the namespace of a CommonJS one has a name `module.exports` in Node. */
async function commonJsNames(path: string): Promise<string[] | undefined> {
  const names = Object.keys(await import(pathToFileURL(path).href));
  if (!names.includes("module.exports")) return undefined;
  return names.filter((name) => /^[\w$]+$/.test(name) && name !== "default" && name !== "__esModule");
}
