import type { Options } from "tsup";

type EsbuildPlugin = NonNullable<Options["esbuildPlugins"]>[number];

/** React's inspector, which Ink loads where `DEV=true` says so, is no part of kay. */
export const noDevtools: EsbuildPlugin = {
  name: "no-devtools",
  setup(build) {
    build.onLoad({ filter: /ink\/build\/devtools\.js$/ }, () => ({ contents: "export {};" }));
  },
};
