import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: "test/support/postgres-setup.ts",
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
