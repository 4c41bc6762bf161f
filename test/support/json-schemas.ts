import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { schemas } from "../../scripts/schemas.ts";

let loading: ReturnType<typeof schemas> | undefined;

type Schema = Record<string, unknown>;

/** Validates a document against its shipped schema, without unknown fields. Returns the errors. */
export async function listFaults(command: string, document: unknown): Promise<string[]> {
  loading ??= schemas();
  const schema = (await loading)[`${command.replaceAll(" ", "-")}.json`];
  if (!schema) return [`there is no schema of ${command}`];
  // For alternatives, the errors of the best match.
  const all = alternatives(schema).map((schema) => listErrors(schema, document));
  return all.sort((a, b) => a.length - b.length)[0] ?? [];
}

/** A union of unions as one list. */
function alternatives({ anyOf, ...rest }: Schema): Schema[] {
  return Array.isArray(anyOf) ? anyOf.flatMap((schema: Schema) => alternatives({ ...rest, ...schema })) : [rest];
}

function listErrors(schema: Schema, document: unknown): string[] {
  const key = JSON.stringify(schema);
  const validate =
    compiled.get(key) ?? new Ajv2020({ allErrors: true, strict: false }).compile(strict(schema) as Schema);
  compiled.set(key, validate);
  if (validate(document)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

const compiled = new Map<string, ValidateFunction>();

/** Returns the schema for objects that have only the fields it names. Maps with any names stay what they are. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, strict(value)]));
  const isLoose = "properties" in inner && JSON.stringify(inner.additionalProperties) === "{}";
  return isLoose ? without(inner) : inner;
}

function without({ additionalProperties: _, ...rest }: Schema): Schema {
  return { ...rest, unevaluatedProperties: false };
}
