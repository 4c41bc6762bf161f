import type { CodeOptions, ErrorObject, ValidateFunction } from "ajv";
import { Problem } from "../errors.ts";
import { isTimeoutError, runWithTimeout } from "./timeout.ts";
import { parseValue } from "./value.ts";

/** Where a value does not match, as a JSON pointer, and how. */
export type OutputProblem = { path: string; message: string };

/** What an answer's text comes to: the value in it, or why it is none that was wanted. */
type Checked = { value: unknown } | { problems: OutputProblem[] };

/** Compiles a pattern of a schema to something that tests texts. */
type PatternEngine = NonNullable<CodeOptions["regExp"]>;

/** Looks for the wanted value in the text of an answer. Never throws. */
export type OutputCheck = (text: string) => Checked;

/**
 * Read the JSON Schema that an answer is to match (draft 2020-12, or draft-07 where `$schema` says so). It comes from outside: it may be
 * wrong, refer to other documents, or be made to keep whoever checks it busy.
 *
 * @throws Problem INVALID_REQUEST with one sentence
 */
export async function readOutputSchema(schema: unknown): Promise<OutputCheck> {
  const { $schema: dialect, ...rest } = checkedShape(schema);
  const ajv = await ajvFor(dialect);
  const validate = compile(() => ajv.compile(rest));
  return (text) => {
    const found = parseValue(text);
    return "problems" in found ? found : (getProblems(validate, found.value) ?? found);
  };
}

function checkedShape(schema: unknown): Record<string, unknown> {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    throw refuse("A JSON Schema is an object.");
  const { length } = JSON.stringify(schema);
  if (length > MOST_CHARACTERS) throw refuse(`It is larger than ${MOST_CHARACTERS / 1024} KiB.`);
  const patterns = new Set<string>();
  look(schema, patterns, 0);
  if (patterns.size > MOST_PATTERNS) throw refuse(`It has more than ${MOST_PATTERNS} patterns.`);
  return schema as Record<string, unknown>;
}

/** Collects the regular expressions. */
function look(part: unknown, patterns: Set<string>, depth: number): void {
  if (depth > DEEPEST) throw refuse("It is nested too deeply.");
  if (typeof part === "string" && part.includes("\0")) throw refuse("It has a NUL character.");
  if (typeof part !== "object" || part === null) return;
  for (const [name, value] of Object.entries(part)) {
    if (name.includes("\0")) throw refuse("It has a NUL character.");
    if (name === "$async" && value === true) throw refuse("$async is no part of JSON Schema.");
    if (name === "pattern" && typeof value === "string") patterns.add(value);
    if (name === "patternProperties" && typeof value === "object" && value !== null)
      for (const pattern of Object.keys(value)) patterns.add(pattern);
    look(value, patterns, depth + 1);
  }
}

async function ajvFor(dialect: unknown) {
  const code = { regExp: await loadPatternEngine() };
  const options = { strict: false, allErrors: true, logger: false, inlineRefs: false, code } as const;
  const { default: formats } = await import("ajv-formats");
  if (dialect === undefined || /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(String(dialect))) {
    const { Ajv2020 } = await import("ajv/dist/2020.js");
    return formats.default(new Ajv2020(options));
  }
  if (/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(String(dialect))) {
    const { Ajv } = await import("ajv");
    return formats.default(new Ajv(options));
  }
  throw refuse(`Its $schema is ${JSON.stringify(dialect)}; draft 2020-12 and draft-07 are known here.`);
}

/**
 * Loads the engine that Ajv runs patterns with. It matches in linear time, so that no pattern of a schema can block the process
 * (docs/decisions/output-schema.md).
 */
async function loadPatternEngine(): Promise<PatternEngine> {
  const { RE2JS, RE2JSSyntaxException } = await import("re2js");
  const compilePattern = (pattern: string) => {
    try {
      return RE2JS.compile(RE2JS.translateRegExp(pattern));
    } catch (error) {
      if (!(error instanceof RE2JSSyntaxException)) throw error;
      const part = JSON.stringify(error.input ?? pattern);
      throw refuse(
        `The pattern ${JSON.stringify(pattern)} uses ${part}: patterns follow the RE2 syntax, without look-around and back-references.`,
      );
    }
  };
  return Object.assign(compilePattern, { code: "" });
}

/** Compiled, and tried on a value of each kind: one that refers to itself without end is found by that. */
function compile(compile: () => ValidateFunction): ValidateFunction {
  try {
    return runWithTimeout(LIMIT_MS, () => {
      const validate = compile();
      for (const value of [null, true, 0, "", [], {}]) validate(value);
      return validate;
    });
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (isTimeoutError(error)) throw refuse("It takes too long to check anything against it.");
    if (error instanceof RangeError) throw refuse("It refers to itself without end.");
    const { missingRef, message } = error as { missingRef?: string; message?: string };
    if (missingRef !== undefined)
      throw refuse(`It refers to ${JSON.stringify(missingRef)}: only what is in it can be referred to (#/$defs/…).`);
    throw refuse(`It is no valid JSON Schema: ${(message ?? "").replace(/^schema is invalid: data/, "").trim()}.`);
  }
}

function getProblems(validate: ValidateFunction, value: unknown): { problems: OutputProblem[] } | undefined {
  try {
    if (runWithTimeout(LIMIT_MS, () => validate(value))) return undefined;
  } catch {
    return { problems: [{ path: "", message: "takes too long to be checked" }] };
  }
  return { problems: (validate.errors ?? []).slice(0, MOST_PROBLEMS).map(getProblem) };
}

function getProblem({ instancePath: path, message = "is not valid", keyword, params }: ErrorObject): OutputProblem {
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") {
    const name = params.additionalProperty ?? params.unevaluatedProperty;
    return { path, message: `must not have the property ${JSON.stringify(name)}` };
  }
  if (keyword === "enum") return { path, message: `must be one of ${JSON.stringify(params.allowedValues)}` };
  if (keyword === "const") return { path, message: `must be ${JSON.stringify(params.allowedValue)}` };
  return { path, message };
}

function refuse(sentence: string): Problem {
  return new Problem("INVALID_REQUEST", `The output schema cannot be used. ${sentence}`, {
    hint: "",
    details: { field: "output_schema" },
  });
}

/** Of the schema as JSON. */
const MOST_CHARACTERS = 64 * 1024;
const MOST_PATTERNS = 30;
const DEEPEST = 64;

/** Of one answer; a model mends what it is told of, and a person reads no more. */
const MOST_PROBLEMS = 20;

/** Milliseconds that a check may take, which is a thousand times what an honest one needs. */
const LIMIT_MS = 2_000;
