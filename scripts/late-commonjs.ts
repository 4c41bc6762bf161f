import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { Options } from "tsup";

type EsbuildPlugin = NonNullable<Options["esbuildPlugins"]>[number];

/**
 * `await import("undici")` of a CommonJS package gives its names, as in Node. esbuild by itself, when it splits, gives only `default`. The
 * names are found by importing the package here, as Node finds them.
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

/** Undefined for an ES module. Node gives the namespace of a CommonJS one, and no other, a name `module.exports`. */
async function commonJsNames(path: string): Promise<string[] | undefined> {
  const names = Object.keys(await import(pathToFileURL(path).href));
  if (!names.includes("module.exports")) return undefined;
  return names.filter((name) => /^[\w$]+$/.test(name) && name !== "default" && name !== "__esModule");
}
