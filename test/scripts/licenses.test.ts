import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "#test/credentials";
import { billOfMaterials } from "../../scripts/licenses.ts";

test("the bill of materials names every bundled package with its version, for scanners of vulnerabilities", () => {
  const metafile = join(temporaryFolder(), "metafile.json");
  const inputs = {
    "node_modules/zod/v4/core/api.js": { bytesInOutput: 10 },
    "node_modules/@ai-sdk/openai/dist/index.js": { bytesInOutput: 10 },
    "node_modules/marked/lib/marked.js": { bytesInOutput: 0 },
    "src/main.ts": { bytesInOutput: 10 },
  };
  writeFileSync(metafile, JSON.stringify({ outputs: { "main.js": { inputs } } }));
  expect(billOfMaterials(fileURLToPath(new URL("../../", import.meta.url)), metafile)).toMatchObject({
    bomFormat: "CycloneDX",
    components: [
      { name: "@ai-sdk/openai", purl: expect.stringMatching(/^pkg:npm\/%40ai-sdk\/openai@\d/) },
      { name: "jq-wasm" },
      { name: "zod", purl: expect.stringMatching(/^pkg:npm\/zod@\d/), licenses: [{ license: { id: "MIT" } }] },
    ],
  });
});
