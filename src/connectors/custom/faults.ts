import type * as z from "zod/mini";
import { clean } from "#protocol/clean";
import { findClosestName } from "#protocol/closest-name";

/** Something that is wrong in a description: where, and the end of a sentence that begins with the place. */
export type DescriptionFault = {
  path: PropertyKey[];
  says: string;
  atKey?: true /** The key that was probably meant. */;
  meant?: string;
};

/** `tools[0].access`; the description itself is "the description". */
export function formatPath(path: PropertyKey[]): string {
  const name = path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    const word = clean(String(step), { lines: false, max: 60 });
    return text === "" ? word : `${text}.${word}`;
  }, "");
  return name || "the description";
}

/** What a schema has against a value, one fault for each key. */
export function toShapeFaults(issues: z.core.$ZodIssue[], schema: z.core.$ZodType, value: unknown): DescriptionFault[] {
  const faults = issues.flatMap((issue): DescriptionFault[] => {
    const { path } = issue;
    if (issue.code !== "unrecognized_keys") return [{ path, says: getWords(issue, valueAt(value, path)) }];
    const known = keysAt(schema, path, value);
    return issue.keys.map((key) => unknownKey([...path, key], known));
  });
  // A key that was misspelt is not missing besides.
  const meant = new Set(
    faults.flatMap((fault) => (fault.meant ? [formatPath([...fault.path.slice(0, -1), fault.meant])] : [])),
  );
  return faults.filter(({ path, says }) => says !== MISSING || !meant.has(formatPath(path)));
}

const MISSING = "is missing";

function unknownKey(path: PropertyKey[], known: string[]): DescriptionFault {
  const key = String(path.at(-1)).slice(0, 60).toLowerCase();
  const near = findClosestName(key, known);
  if (near !== undefined) return { path, says: `is not known; did you mean ${near}?`, atKey: true, meant: near };
  const list = known.length > 0 ? `; known here are ${known.join(", ")}` : "";
  return { path, says: `is not known${list}`, atKey: true };
}

function getWords(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return MISSING;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${getOne(issue.values.map(String))}`;
    case "invalid_union": {
      const options = (issue as { options?: unknown[] }).options;
      return options ? `must be ${getOne(options.map(String))}` : "must be a text, a number, or true or false";
    }
    case "too_small":
      return `must have at least ${issue.minimum}`;
    case "too_big":
      return `must have at most ${issue.maximum}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? "is not a name that is taken here";
    default:
      return issue.message;
  }
}

function getOne(values: string[]): string {
  return values.length === 1 ? (values[0] ?? "") : `one of ${values.join(", ")}`;
}

type Inner = {
  type: string;
  shape?: Record<string, z.core.$ZodType>;
  element?: z.core.$ZodType;
  innerType?: z.core.$ZodType;
  valueType?: z.core.$ZodType;
  options?: z.core.$ZodType[];
};

/** The keys that a schema knows at a path; of several forms of an object those of the form that `type` names. */
function keysAt(schema: z.core.$ZodType, path: PropertyKey[], value: unknown): string[] {
  const { type, shape, element, innerType, valueType, options } = schema._zod.def as unknown as Inner;
  if (innerType) return keysAt(innerType, path, value);
  if (type === "union") {
    const named = (value as { type?: unknown } | null)?.type;
    const form = options?.find((option) => {
      const own = (option._zod.def as unknown as Inner).shape?.type?._zod.def as { values?: unknown[] } | undefined;
      return own?.values?.includes(named);
    });
    return form ? keysAt(form, path, value) : [];
  }
  const [step, ...rest] = path;
  if (step === undefined) return Object.keys(shape ?? {});
  const next = shape ? shape[String(step)] : (element ?? valueType);
  return next ? keysAt(next, rest, (value as Record<PropertyKey, unknown> | undefined)?.[step]) : [];
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined | null)?.[key], value);
}

const TYPES: Record<string, string> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
};
