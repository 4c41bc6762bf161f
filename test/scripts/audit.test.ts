import { expect, test } from "vitest";
import { listVulnerable } from "../../scripts/audit.ts";

const advisory = { title: "Prototype pollution", url: "https://example.com/1", severity: "high", range: "<2.0.0" };
const shipped = [
  { name: "bundled", version: "1.9.0" },
  { name: "mended", version: "2.0.0" },
  { name: "@native/part", version: "1.0.0-beta.1" },
];

test("the audit reports what is shipped in a vulnerable version, and no tool or newer version", () => {
  const names = ["bundled", "mended", "@native/part", "a-tool"];
  const vulnerabilities = Object.fromEntries(names.map((name) => [name, { via: [advisory, "another"] }]));
  expect(listVulnerable(JSON.stringify({ vulnerabilities }), shipped)).toEqual([
    "bundled 1.9.0: high, Prototype pollution (https://example.com/1)",
    "@native/part 1.0.0-beta.1: high, Prototype pollution (https://example.com/1)",
  ]);
  expect(listVulnerable(JSON.stringify({ vulnerabilities: {} }), shipped)).toEqual([]);
});

test("an error of the registry is not taken for a clean report", () => {
  for (const answer of ["", "<html>", JSON.stringify({ statusCode: 405, error: { summary: "" } })])
    expect(listVulnerable(answer, shipped)).toBeUndefined();
});
