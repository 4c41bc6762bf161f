import * as z from "zod/mini";
import { DOCUMENTS } from "../src/cli/documents/table.ts";
import { docstrings } from "./docstrings.ts";

type Schema = Record<string, unknown>;

/**
 * JSON Schemas (draft 2020-12) of the documents that commands print, by the names of their files, and `index.json` with the titles of all. What
 * each field means is taken from the docstrings of the source.
 */
export async function schemas(): Promise<Record<string, Schema>> {
  const docs = await docstrings();
  const files = Object.entries(DOCUMENTS).map(([command, { title, schema }]): [string, Schema] => {
    const name = command.replaceAll(" ", "-");
    const made = z.toJSONSchema(schema, {
      override: ({ zodSchema, jsonSchema }) => describe(docs, zodSchema, jsonSchema),
    });
    const { $schema, ...rest } = withWarnings(made as Schema);
    return [
      `${name}.json`,
      { $schema, $id: `urn:kay:schema:${name}`, title, description: descriptionOf(command), ...rest },
    ];
  });
  const index = Object.fromEntries(Object.entries(DOCUMENTS).map(([command, { title }]) => [command, title]));
  return { ...Object.fromEntries(files), "index.json": index };
}

function descriptionOf(command: string): string {
  if (command === "failure") return "Any command of kay with --json, when it fails";
  return `kay ${command === "ask stream" ? "ask --stream" : command} --json`;
}

function describe(
  docs: Awaited<ReturnType<typeof docstrings>>,
  zod: unknown,
  { properties = {} }: { properties?: object },
): void {
  for (const [name, text] of docs.get(zod) ?? []) {
    const property: unknown = Reflect.get(properties, name);
    if (typeof property === "object" && property !== null) Object.assign(property, { description: text });
  }
}

/** Away from a terminal warnings travel in the document, in any that is an object. */
function withWarnings(schema: Schema): Schema {
  const warnings = {
    type: "array",
    items: { type: "string" },
    description: "What was not as it should be, though the command went on.",
  };
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: schema.anyOf.map(withWarnings) };
  const { properties } = schema;
  return properties ? { ...schema, properties: { ...properties, warnings } } : schema;
}
