import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { schemas } from "../../scripts/schemas.ts";

test("every schema is one of draft 2020-12, with an id, a title and the command", { timeout: 120_000 }, async () => {
  const { "index.json": index, ...all } = await schemas();
  expect(Object.keys(index ?? {}).map((command) => `${command.replaceAll(" ", "-")}.json`)).toEqual(Object.keys(all));
  for (const [file, schema] of Object.entries(all)) {
    new Ajv2020({ allowUnionTypes: true }).compile(schema);
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: `urn:kay:schema:${file.replace(".json", "")}`,
      title: expect.stringMatching(/^[A-Z]/),
      description: expect.stringMatching(/ --json/),
    });
  }
});

test("field descriptions are those of the source, including lists and optional fields", async () => {
  const { "pending.json": pending, "model.json": model, "config-get.json": setting } = await schemas();
  expect(JSON.stringify(pending)).toContain('"interaction_id":{"type":"string"},');
  const described = JSON.stringify([pending, model, setting]);
  for (const words of [
    "Commands that answer it, ready to run.",
    "ISO 8601.",
    "Size of the context window in tokens, if known.",
    "Full model names, as accepted by the `model` setting. The first is the default.",
    "Null if it is not set; a mask for a secret.",
  ])
    expect(described).toContain(words);
});
