import { runInNewContext } from "node:vm";
import type { CodeOptions, ErrorObject, ValidateFunction } from "ajv";
import { Problem } from "../errors.ts";
import { parseValue } from "./value.ts";

/** Where a value does not match, as a JSON pointer, and how. */
export type OutputProblem = { path: string; message: string };

/** The value in an answer, or why it does not match. */
type OutputCheckResult = { value: unknown } | { problems: OutputProblem[] };

/** Compiles a pattern of a schema into an object that tests texts. */
type PatternEngine = NonNullable<CodeOptions["regExp"]>;

/** Finds the value in the text of an answer and checks it. Never throws. */
export type OutputCheck = (text: string) => OutputCheckResult;

/**
 * Reads the JSON Schema that an answer must match (draft 2020-12, or draft-07 if `$schema` says so). The schema is
 * untrusted: it may be invalid, refer to other documents, or be built to take very long.
 *
 * @throws Problem INVALID_REQUEST when the schema cannot be used
 */
export async function readOutputSchema(schema: unknown): Promise<OutputCheck> {
  const { $schema: dialect, ...rest } = parseSafeSchema(schema);
  const ajv = await createAjv(dialect);
  // Compiles the dialect's own schema, which takes longer than most schemas do, outside their limit of time.
  ajv.validateSchema({});
  const validate = compile(() => ajv.compile(rest));
  return (text) => {
    const value = parseValue(text);
    return "problems" in value ? value : (findProblems(validate, value.value) ?? value);
  };
}

function parseSafeSchema(schema: unknown): Record<string, unknown> {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    throw schemaProblem("A JSON Schema must be an object.");
  const { length } = JSON.stringify(schema);
  if (length > MAX_CHARACTERS) throw schemaProblem(`It is larger than ${MAX_CHARACTERS / 1024} KiB.`);
  const patterns = new Set<string>();
  collectPatterns(schema, patterns, 0);
  if (patterns.size > MAX_PATTERNS) throw schemaProblem(`It has more than ${MAX_PATTERNS} patterns.`);
  return schema as Record<string, unknown>;
}

/** Collects the regular expressions of a schema. */
function collectPatterns(part: unknown, patterns: Set<string>, depth: number): void {
  if (depth > MAX_DEPTH) throw schemaProblem("It is nested too deeply.");
  if (typeof part === "string" && part.includes("\0")) throw schemaProblem("It contains a NUL character.");
  if (typeof part !== "object" || part === null) return;
  for (const [name, value] of Object.entries(part)) {
    if (name.includes("\0")) throw schemaProblem("It contains a NUL character.");
    if (name === "$async" && value === true) throw schemaProblem("$async is not part of JSON Schema.");
    if (name === "pattern" && typeof value === "string") patterns.add(value);
    if (name === "patternProperties" && typeof value === "object" && value !== null)
      for (const pattern of Object.keys(value)) patterns.add(pattern);
    collectPatterns(value, patterns, depth + 1);
  }
}

async function createAjv(dialect: unknown) {
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
  throw schemaProblem(`Its $schema is ${JSON.stringify(dialect)}, but only draft 2020-12 and draft-07 are supported.`);
}

/**
 * Loads the engine that Ajv runs patterns with. It matches in linear time, so no pattern can block the process
 * (docs/decisions/linear-text.md).
 */
async function loadPatternEngine(): Promise<PatternEngine> {
  const { RE2JS, RE2JSSyntaxException } = await import("re2js");
  const compilePattern = (pattern: string) => {
    try {
      return RE2JS.compile(RE2JS.translateRegExp(pattern));
    } catch (error) {
      if (!(error instanceof RE2JSSyntaxException)) throw error;
      const part = JSON.stringify(error.input ?? pattern);
      throw schemaProblem(
        `The pattern ${JSON.stringify(pattern)} uses ${part}, but patterns must follow the RE2 syntax, which has no lookaround or backreferences.`,
      );
    }
  };
  return Object.assign(compilePattern, { code: "" });
}

/** Compiles a schema and tries it on a value of each kind, which detects endless self-references. */
function compile(compile: () => ValidateFunction): ValidateFunction {
  try {
    return runWithTimeout(LIMIT_MS, () => {
      const validate = compile();
      for (const value of [null, true, 0, "", [], {}]) validate(value);
      return validate;
    });
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (isTimeoutError(error)) throw schemaProblem("Checking a value against it takes too long.");
    if (error instanceof RangeError) throw schemaProblem("It refers to itself endlessly.");
    const { missingRef, message } = error as { missingRef?: string; message?: string };
    if (missingRef !== undefined)
      throw schemaProblem(
        `It refers to ${JSON.stringify(missingRef)}, but only references within the schema (#/$defs/…) are allowed.`,
      );
    throw schemaProblem(
      `It is not a valid JSON Schema: ${(message ?? "").replace(/^schema is invalid: data/, "").trim()}.`,
    );
  }
}

function findProblems(validate: ValidateFunction, value: unknown): { problems: OutputProblem[] } | undefined {
  try {
    if (runWithTimeout(LIMIT_MS, () => validate(value))) return undefined;
  } catch {
    return { problems: [{ path: "", message: "takes too long to check" }] };
  }
  return { problems: (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(toOutputProblem) };
}

function toOutputProblem({
  instancePath: path,
  message = "is not valid",
  keyword,
  params,
}: ErrorObject): OutputProblem {
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") {
    const name = params.additionalProperty ?? params.unevaluatedProperty;
    return { path, message: `must not have the property ${JSON.stringify(name)}` };
  }
  if (keyword === "enum") return { path, message: `must be one of ${JSON.stringify(params.allowedValues)}` };
  if (keyword === "const") return { path, message: `must be ${JSON.stringify(params.allowedValue)}` };
  return { path, message };
}

function schemaProblem(sentence: string): Problem {
  return new Problem("INVALID_REQUEST", `The output schema cannot be used. ${sentence}`, {
    hint: "",
    details: { field: "output_schema" },
  });
}

/** Limits of a schema: its size as JSON, its patterns and its depth. */
const MAX_CHARACTERS = 64 * 1024;
const MAX_PATTERNS = 30;
const MAX_DEPTH = 64;

/** Most problems reported for one answer, enough for a model to correct it. */
const MAX_PROBLEMS = 20;

/** Time limit of one check in ms, a thousand times what an ordinary schema needs. */
const LIMIT_MS = 2_000;

/**
 * Runs synchronous work that may not terminate, such as an untrusted regular expression or schema.
 *
 * @param ms time limit
 * @throws Error with code `ERR_SCRIPT_EXECUTION_TIMEOUT` after the limit, or whatever `work` throws
 */
function runWithTimeout<T>(ms: number, work: () => T): T {
  return runInNewContext("work()", { work }, { timeout: ms }) as T;
}

/** Whether an error means that {@link runWithTimeout} hit its limit. */
function isTimeoutError(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
