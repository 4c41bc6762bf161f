import type { Options } from "tsup";

type EsbuildPlugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Removes React's inspector, which Ink loads with `DEV=true`. */
export const noDevtools: EsbuildPlugin = {
  name: "no-devtools",
  setup(build) {
    build.onLoad({ filter: /ink\/build\/devtools\.js$/ }, () => ({ contents: "export {};" }));
  },
};
