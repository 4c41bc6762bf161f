import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { isRecord } from "#protocol/json";

/** Maximum number of compiled schemas that are cached. */
const MAX_COMPILED = 200;

/** Compiles a cleaned schema and caches the result. Returns undefined if it cannot be compiled. */
export function compileSchema(schema: Record<string, unknown>): ValidateFunction | undefined {
  const key = JSON.stringify(schema);
  if (validators.has(key)) return validators.get(key);
  if (validators.size >= MAX_COMPILED) validators.clear();
  const validate = compile(schema);
  validators.set(key, validate);
  return validate;
}

const validators = new Map<string, ValidateFunction | undefined>();

function compile(schema: Record<string, unknown>): ValidateFunction | undefined {
  try {
    // A new instance for each schema, because an instance keeps every schema that it compiled.
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false, logger: false, verbose: false });
    return ajv.compile(schema);
  } catch {
    return undefined;
  }
}

/** @throws Problem INVALID_REQUEST that names the wrong field */
export function validateInput(tool: string, schema: Record<string, unknown>, input: unknown): Record<string, unknown> {
  const validate = compileSchema(schema);
  if (validate && !validate(input)) throw inputProblem(tool, validate.errors?.[0], input);
  if (isRecord(input)) return input;
  throw new Problem("INVALID_REQUEST", `The input of ${tool} is not accepted: it must be an object.`, { hint: "" });
}

/** Words the problem like `src/agent/input.ts` does for other tools. */
function inputProblem(tool: string, error: ErrorObject | undefined, input: unknown): Problem {
  const { instancePath = "", keyword = "", params = {}, message = "" } = error ?? {};
  const missingField = keyword === "required" ? String(params.missingProperty) : undefined;
  const extraField = keyword === "additionalProperties" ? String(params.additionalProperty) : undefined;
  const path = [
    ...instancePath.split("/").slice(1),
    ...(missingField ? [missingField] : []),
    ...(extraField ? [extraField] : []),
  ];
  const field = cleanLine(path.join("."), 80);
  const subject = field ? `“${field}”` : "the input";
  const problem = missingField
    ? "is missing"
    : extraField
      ? "is not one of its fields"
      : describeError(keyword, params, message, input);
  return new Problem("INVALID_REQUEST", `The input of ${tool} is not accepted: ${subject} ${problem}.`, {
    hint: "",
    details: field ? { field } : {},
  });
}

function describeError(keyword: string, params: Record<string, unknown>, message: string, input: unknown): string {
  if (input === undefined) return "is missing";
  if (keyword === "type")
    return `must be ${[params.type]
      .flat()
      .map((type) => TYPES[String(type)] ?? type)
      .join(" or ")}`;
  if (keyword === "enum" && Array.isArray(params.allowedValues))
    return `must be one of ${params.allowedValues.slice(0, 20).map(String).join(", ")}`;
  return cleanLine(message, 120) || "is not accepted";
}

const TYPES: Record<string, string> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "nothing",
};
