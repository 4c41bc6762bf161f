import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/mcp-authorization.md", root), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| ") && line.includes("`test/"));

test.each(rows.map((row) => row.split("|").map((cell) => cell.trim())))("%s%s is where the page says", (...cells) => {
  const [, , state = "", tested = ""] = cells;
  const [, file = "", name = ""] = /^`([^`]+)` `(\w+)`$/.exec(state) ?? [];
  expect(readFileSync(new URL(file, root), "utf8")).toContain(`function ${name}(`);
  const [, checks = ""] = /^`([^`]+)`$/.exec(tested) ?? [];
  expect(readFileSync(new URL(checks, root), "utf8")).toContain("test(");
});

test("the page has every section of the specification with requirements for a client", () => {
  expect(rows.length).toBeGreaterThan(25);
});
