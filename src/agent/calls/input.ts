import type { JSONSchema7 } from "ai";
import * as z from "zod/mini";
import { suggestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";
import type { AgentTool } from "../tool.ts";

/**
 * Converts validation issues to one sentence that names the first wrong field and its requirement.
 *
 * @param input the rejected input; tells a missing field from a wrong one
 */
export function toInputProblem(tool: string, input: unknown, issues: z.core.$ZodIssue[]): Problem {
  const issue = issues[0];
  const path = (issue?.path ?? []).map(String);
  const field = path.join(".");
  const subject = field ? `“${field}”` : "the input";
  const fault = issue ? describeIssue(issue, getValueAtPath(input, path)) : "is not accepted";
  const otherFields = [...new Set(issues.slice(1).map(({ path }) => path.map(String).join(".")))].filter(
    (other) => other !== field && other !== "",
  );
  const suffix = otherFields.length > 0 ? ` (also wrong: ${otherFields.join(", ")})` : "";
  return new Problem("INVALID_REQUEST", `The input of ${tool} is not accepted: ${subject} ${fault}${suffix}.`, {
    hint: "",
    details: field ? { field } : {},
  });
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return value === undefined ? "is missing" : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return value === undefined ? "is missing" : `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return formatLimit(issue.origin, "at least", issue.minimum);
    case "too_big":
      return formatLimit(issue.origin, "at most", issue.maximum);
    case "invalid_format":
      return `must be a valid ${issue.format}`;
    case "invalid_union":
      return value === undefined ? "is missing" : `must be ${formatUnion(issue.errors)}`;
    default:
      return issue.message && issue.message !== "Invalid input"
        ? `is not accepted: ${issue.message}`
        : "is not accepted";
  }
}

function formatLimit(origin: string, comparison: string, bound: number | bigint): string {
  if (origin === "string")
    return bound === 1 && comparison === "at least"
      ? "must not be empty"
      : `must have ${comparison} ${bound} characters`;
  if (origin === "array" || origin === "set")
    return `must have ${comparison} ${bound} ${bound === 1 ? "entry" : "entries"}`;
  return `must be ${comparison} ${bound}`;
}

function formatUnion(errors: z.core.$ZodIssue[][]): string {
  const types = errors.flatMap(([first]) =>
    first?.code === "invalid_type" ? [TYPES[first.expected] ?? first.expected] : [],
  );
  return types.length > 0 ? [...new Set(types)].join(" or ") : "something else";
}

function getValueAtPath(input: unknown, path: string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], input);
}

const TYPES: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/**
 * Rejects misspelled fields. If they were ignored, a search with a misspelled filter would return everything.
 *
 * @throws Problem INVALID_REQUEST with the field and the valid ones
 */
export function rejectUnknownFields({ name, schema }: Pick<AgentTool, "name" | "schema">, input: unknown): void {
  const fields = Object.keys(schema.properties ?? {});
  if (!schema.properties || typeof input !== "object" || input === null || Array.isArray(input)) return;
  const unknown = Object.keys(input).find((field) => !fields.includes(field));
  if (unknown === undefined || schema.additionalProperties) return;
  const guess = suggestName(unknown, fields, (near) => `“${near}”`);
  const list = fields.length > 0 ? ` Valid fields: ${fields.join(", ")}.` : " This tool takes no fields.";
  throw new Problem(
    "INVALID_REQUEST",
    `${name} has no field “${unknown.slice(0, 60)}”.${guess && ` ${guess}`}${list}`,
    {
      hint: "",
      details: { field: unknown },
    },
  );
}

/** Returns the JSON Schema of a tool's input. Tools are put together for every request, while their inputs stay. */
export function getInputSchema(input: z.ZodMiniType): JSONSchema7 {
  const cached = schemas.get(input) ?? (z.toJSONSchema(input, { io: "input" }) as JSONSchema7);
  schemas.set(input, cached);
  return cached;
}

const schemas = new WeakMap<z.ZodMiniType, JSONSchema7>();
