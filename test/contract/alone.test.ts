import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the checks of the guide share nothing with kay but the start of the backend that they test", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => !name.endsWith("alone.test.ts"));
  const imports = files.flatMap((name) => [
    ...readFileSync(`${import.meta.dirname}/${name}`, "utf8").matchAll(/(?:from|import\()\s*"([^"]+)"/g),
  ]);
  const outside = imports.map(([, from = ""]) => from).filter((from) => !from.startsWith("./"));
  expect([...new Set(outside)].sort()).toEqual(["#test/served", "vitest"]);
});
