import * as z from "zod/mini";
import { JSON_DOCUMENTS } from "#cli/json-documents/table";
import { type Docstrings, docstrings } from "./docstrings.ts";

type Schema = Record<string, unknown>;

/**
 * JSON Schemas (draft 2020-12) of the documents that commands print, by the names of their files, and `index.json` with all titles. The
 * docstrings of the source describe the fields.
 */
export async function schemas(): Promise<Record<string, Schema>> {
  const docs = await docstrings();
  const files = Object.entries(JSON_DOCUMENTS).map(([command, { title, schema }]): [string, Schema] => {
    const name = command.replaceAll(" ", "-");
    const made = z.toJSONSchema(schema, {
      override: ({ zodSchema, jsonSchema }) => attachDocs(docs, zodSchema, jsonSchema),
    });
    const { $schema, ...rest } = withWarnings(describeFields(made) as Schema);
    return [
      `${name}.json`,
      { $schema, $id: `urn:kay:schema:${name}`, title, description: describeCommand(command), ...rest },
    ];
  });
  const index = Object.fromEntries(Object.entries(JSON_DOCUMENTS).map(([command, { title }]) => [command, title]));
  return { ...Object.fromEntries(files), "index.json": index };
}

function describeCommand(command: string): string {
  if (command === "failure") return "Any command of kay with --json, when it fails";
  return `kay ${command === "ask stream" ? "ask --stream" : command} --json`;
}

/**
 * Stores the docstrings of an object's fields until the schema is complete, because an object used in several places is
 * shared until then.
 */
const DOCS = "x-docs";

function attachDocs(docs: Docstrings, zod: unknown, json: object): void {
  const fields = docs.get(zod);
  if (fields && "properties" in json) Object.assign(json, { [DOCS]: Object.fromEntries(fields) });
}

/** Puts the docstrings of its fields into a part of a schema. */
function describeFields(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(describeFields);
  if (typeof schema !== "object" || schema === null) return schema;
  const { [DOCS]: docs, ...rest } = schema as Schema;
  const inner = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, describeFields(value)]));
  if (docs === undefined) return inner;
  const properties = Object.entries(inner.properties as Record<string, Schema>).map(([name, property]) => {
    const description = Reflect.get(Object(docs), name);
    return [name, description === undefined ? property : { ...property, description }];
  });
  return { ...inner, properties: Object.fromEntries(properties) };
}

/** Without a terminal, warnings are in the document, if it is an object. */
function withWarnings(schema: Schema): Schema {
  const warnings = {
    type: "array",
    items: { type: "string" },
    description: "Problems that did not stop the command.",
  };
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: schema.anyOf.map(withWarnings) };
  const { properties } = schema;
  return properties ? { ...schema, properties: { ...properties, warnings } } : schema;
}
