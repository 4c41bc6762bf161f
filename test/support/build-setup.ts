import { build } from "../../scripts/build.ts";

/** Builds kay, if its sources changed, before the tests that run it as a process. */
export default async function setup(): Promise<void> {
  if ((await build()) !== 0) throw new Error("kay could not be built.");
}
