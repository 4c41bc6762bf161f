import type * as z from "zod/mini";
import { clean } from "#protocol/clean";
import { findClosestName, suggestName } from "#protocol/closest-name";
import { getValueAtPath } from "../http/body.ts";

/** An error in a description: its path, and the end of a sentence that begins with the path. */
export type DescriptionFault = {
  path: PropertyKey[];
  message: string;
  atKey?: true;
  /** The key that was probably meant, and the question that suggests it. */
  suggestion?: string;
  hint?: string;
};

/** Formats a path, such as `tools[0].access`. The empty path is "the description". */
export function formatPath(path: PropertyKey[]): string {
  const name = path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    const word = clean(String(step), { lines: false, max: 60 });
    return text === "" ? word : `${text}.${word}`;
  }, "");
  return name || "the description";
}

/** Converts validation issues to one fault per key. */
export function toShapeFaults(issues: z.core.$ZodIssue[], schema: z.core.$ZodType, value: unknown): DescriptionFault[] {
  const faults = issues.flatMap((issue): DescriptionFault[] => {
    const { path } = issue;
    if (issue.code !== "unrecognized_keys")
      return [{ path, message: describeIssue(issue, getValueAtPath(value, path)) }];
    const keys = listKeysAtPath(schema, path, value);
    return issue.keys.map((key) => unknownKeyFault([...path, key], keys));
  });
  // A misspelled key is not also reported as missing.
  const suggestedKeys = new Set(
    faults.flatMap((fault) => (fault.suggestion ? [formatPath([...fault.path.slice(0, -1), fault.suggestion])] : [])),
  );
  return faults.filter(({ path, message }) => message !== MISSING || !suggestedKeys.has(formatPath(path)));
}

const MISSING = "is missing";

function unknownKeyFault(path: PropertyKey[], keys: string[]): DescriptionFault {
  const key = String(path.at(-1)).slice(0, 60).toLowerCase();
  const near = findClosestName(key, keys);
  if (near !== undefined)
    return { path, message: "is unknown", atKey: true, suggestion: near, hint: suggestName(key, keys) };
  const list = keys.length > 0 ? `; valid keys are ${keys.join(", ")}` : "";
  return { path, message: `is unknown${list}`, atKey: true };
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return MISSING;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${formatChoices(issue.values.map(String))}`;
    case "invalid_union": {
      const options = (issue as { options?: unknown[] }).options;
      return options ? `must be ${formatChoices(options.map(String))}` : "must be a string, a number, or true or false";
    }
    case "too_small":
      return `must have at least ${issue.minimum}`;
    case "too_big":
      return `must have at most ${issue.maximum}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? "is not a valid name";
    default:
      return issue.message;
  }
}

function formatChoices(values: string[]): string {
  return values.length === 1 ? (values[0] ?? "") : `one of ${values.join(", ")}`;
}

type SchemaDefinition = {
  type: string;
  shape?: Record<string, z.core.$ZodType>;
  element?: z.core.$ZodType;
  innerType?: z.core.$ZodType;
  valueType?: z.core.$ZodType;
  options?: z.core.$ZodType[];
};

/** Lists the keys that a schema allows at a path. For a union, it uses the option that the value's `type` names. */
function listKeysAtPath(schema: z.core.$ZodType, path: PropertyKey[], value: unknown): string[] {
  const { type, shape, element, innerType, valueType, options } = schema._zod.def as unknown as SchemaDefinition;
  if (innerType) return listKeysAtPath(innerType, path, value);
  if (type === "union") {
    const typeName = (value as { type?: unknown } | null)?.type;
    const form = options?.find((option) => {
      const typeSchema = (option._zod.def as unknown as SchemaDefinition).shape?.type?._zod.def as
        | { values?: unknown[] }
        | undefined;
      return typeSchema?.values?.includes(typeName);
    });
    return form ? listKeysAtPath(form, path, value) : [];
  }
  const [step, ...rest] = path;
  if (step === undefined) return Object.keys(shape ?? {});
  const next = shape ? shape[String(step)] : (element ?? valueType);
  return next ? listKeysAtPath(next, rest, (value as Record<PropertyKey, unknown> | undefined)?.[step]) : [];
}

const TYPES: Record<string, string> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
};
