import { defineConfig } from "vitest/config";

/** Tests that run the built kay as a process of its own; all others run in the test's process. */
const built = ["test/e2e/**/*.test.ts", "test/launcher*.test.ts"];

/** Long runs of kills, by themselves (`npm run soak`). */
const soak = "test/soak/**/*.test.ts";
const soaks = process.env.KAY_SOAK !== undefined;

/** The contract's tests are pointed at a backend that runs (`npm run contract`). */
const byHand = process.env.KAY_CONTRACT_URL !== undefined;

export default defineConfig({
  test: {
    sequence: { shuffle: true },
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A poll waits for a state. The default limit of a second is too short on a busy machine.
    expect: { poll: { timeout: 15_000, interval: 20 } },
    // One more than the two cores that tests are sure of: a fifth of the time a worker waits for a process, a database or a terminal.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: "in process",
          // Modules hold no state, so a worker loads each once for all its files.
          isolate: false,
          include: soaks ? [soak] : ["test/**/*.test.{ts,tsx}"],
          exclude: soaks ? [] : [...built, soak],
          globalSetup: byHand ? [] : "test/support/postgres-setup.ts",
        },
      },
      {
        extends: true,
        test: { name: "built", include: built, globalSetup: "test/support/build-setup.ts", testTimeout: 60_000 },
      },
    ],
  },
});
