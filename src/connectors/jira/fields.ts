import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { toAdf } from "../atlassian/adf/write.ts";
import { readPages } from "../http/pages.ts";
import type { ToolContext } from "../tool.ts";
import { getJiraApi } from "./issue.ts";
import { findPerson } from "./people.ts";

const Field = z.looseObject({
  fieldId: z.nullish(z.string()),
  key: z.nullish(z.string()),
  name: z.string(),
  required: z.nullish(z.boolean()),
  hasDefaultValue: z.nullish(z.boolean()),
  schema: z.nullish(
    z.looseObject({ type: z.nullish(z.string()), items: z.nullish(z.string()), custom: z.nullish(z.string()) }),
  ),
  allowedValues: z.nullish(
    z.array(z.looseObject({ id: z.nullish(z.string()), name: z.nullish(z.string()), value: z.nullish(z.string()) })),
  ),
});
const Types = z.looseObject({ issueTypes: z.array(z.looseObject({ id: z.string(), name: z.string() })) });
const CreateFields = z.looseObject({ fields: z.array(Field), total: z.nullish(z.number()) });
const EditFields = z.looseObject({ fields: z.record(z.string(), Field) });

/** A field of an issue's form: its ID, name, type and possible values. */
export type IssueField = {
  id: string;
  name: string;
  type: string;
  items: string;
  isLongText: boolean;
  isRequired: boolean;
  values: { id?: string; name: string }[];
};

/** Maximum numbers of values and fields that a message lists. */
const MAX_VALUES = 8;
const MAX_FIELDS = 20;

/**
 * Lists the fields of a new issue. Source: Jira Cloud REST v3, GET
 * /rest/api/3/issue/createmeta/{project}/issuetypes/{type}.
 */
export async function listCreateFields(context: ToolContext, project: string, type: string): Promise<IssueField[]> {
  const { api } = getJiraApi(context);
  const scope = "read:jira-work";
  const path = `${api}/issue/createmeta/${encodeURIComponent(project)}/issuetypes`;
  const { issueTypes } = await context.http.request({ path, answer: Types, scope });
  const issueType = issueTypes.find(({ name }) => hasSameText(name, type));
  if (!issueType) return [];
  const { items } = await readPages(async (startAt) => {
    const request = { path: `${path}/${encodeURIComponent(issueType.id)}`, query: { maxResults: 100, startAt } };
    const { fields, total } = await context.http.request({ ...request, answer: CreateFields, scope });
    const endIndex = Number(startAt ?? 0) + fields.length;
    return { items: fields, next: fields.length > 0 && endIndex < (total ?? 0) ? String(endIndex) : undefined };
  }, 500);
  return items.map((field) => toIssueField(field.fieldId ?? field.key ?? "", field));
}

/** Lists the fields that can be changed. Source: Jira Cloud REST v3, GET /rest/api/3/issue/{issueIdOrKey}/editmeta. */
export async function listEditFields(context: ToolContext, key: string): Promise<IssueField[]> {
  const path = `${getJiraApi(context).api}/issue/${encodeURIComponent(key)}/editmeta`;
  const { fields } = await context.http.request({ path, answer: EditFields, scope: "read:jira-work" });
  return Object.entries(fields).map(([id, field]) => toIssueField(id, field));
}

/**
 * Converts fields by name or ID to what Jira expects. A value that is already an object is sent as it is.
 *
 * @throws Problem INVALID_REQUEST before anything is written if a field is unknown or a value does not fit
 */
export async function toFieldValues(
  inputs: Record<string, unknown>,
  fields: IssueField[],
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [fieldName, value] of Object.entries(inputs)) {
    const field = findField(fields, fieldName);
    values[field.id] = await toFieldValue(field, value, context);
  }
  return values;
}

/** Describes fields for an approval: `Team: Core, Sprint: 12`. */
export function describeFields(fields: Record<string, unknown> | undefined): string[] {
  return Object.entries(fields ?? {}).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
}

/** Adds the required fields and their possible values to a rejection. */
export function addRequiredFields(problem: Problem, fields: IssueField[], setFields: string[]): Problem {
  const missingFields = fields.filter(({ id, isRequired }) => isRequired && !setFields.includes(id));
  if (missingFields.length === 0) return problem;
  const names = missingFields.slice(0, MAX_FIELDS).map(({ name, values }) => name + formatValues(values));
  return new Problem(problem.code, problem.message, {
    hint: `Add these to “fields”: ${names.join("; ")}.`,
    details: { ...problem.details, required_fields: missingFields.map(({ name }) => name) },
    cause: problem,
  });
}

function toIssueField(id: string, { name, schema, required, hasDefaultValue, allowedValues }: z.output<typeof Field>) {
  return {
    id,
    name,
    type: schema?.type ?? "",
    items: schema?.items ?? "",
    isLongText: /:textarea$/.test(schema?.custom ?? "") || id === "description" || id === "environment",
    isRequired: required === true && hasDefaultValue !== true,
    values: (allowedValues ?? []).map((allowedValue) => ({
      id: allowedValue.id ?? undefined,
      name: allowedValue.name ?? allowedValue.value ?? "",
    })),
  };
}

function findField(fields: IssueField[], nameOrId: string): IssueField {
  const field = fields.find(({ id, name }) => id === nameOrId.trim() || hasSameText(name, nameOrId));
  if (field) return field;
  const names = fields.slice(0, MAX_FIELDS).map(({ name }) => name);
  throw new Problem("INVALID_REQUEST", `The issue has no field “${nameOrId.trim()}”.`, {
    hint: names.length > 0 ? `Available: ${names.join(", ")}.` : "Check the name of the field in Jira.",
    details: { field: "fields" },
  });
}

async function toFieldValue(field: IssueField, value: unknown, context: ToolContext): Promise<unknown> {
  if (value === null || (typeof value === "object" && !Array.isArray(value))) return value;
  if (field.type !== "array") return toSingleValue(field, field.type, value, context);
  const list = Array.isArray(value) ? value : String(value).split(",");
  const texts = list.map((item) => (typeof item === "string" ? item.trim() : item)).filter((item) => item !== "");
  const values: unknown[] = [];
  for (const text of texts) values.push(await toSingleValue(field, field.items, text, context));
  return values;
}

async function toSingleValue(field: IssueField, type: string, value: unknown, context: ToolContext): Promise<unknown> {
  if (typeof value === "object") return value;
  const text = String(value).trim();
  if (field.values.length > 0 && type !== "string") return findValue(field, text);
  switch (type) {
    case "number":
      if (text !== "" && Number.isFinite(Number(text))) return Number(text);
      throw invalidValueProblem(field, `“${text}” is not a number`);
    case "user":
      return { accountId: (await findPerson(context, text, { purpose: "change" })).accountId };
    case "option":
      return { value: text };
    case "issuelink":
      return { key: text };
    case "string":
      return field.isLongText ? toAdf(text, field.name) : text;
    case "version":
    case "component":
    case "priority":
      return { name: text };
    default:
      return typeof value === "string" && /^\d+$/.test(text) && type === "any" ? Number(text) : value;
  }
}

function findValue(field: IssueField, text: string): { id: string } | { name: string } {
  const value = field.values.find(({ id, name }) => hasSameText(name, text) || id === text);
  if (!value) throw invalidValueProblem(field, `“${text}” is not one of its values${formatValues(field.values)}`);
  return value.id ? { id: value.id } : { name: value.name };
}

function formatValues(values: { name: string }[]): string {
  const names = values.slice(0, MAX_VALUES).map(({ name }) => name);
  const more = values.length > names.length ? ", …" : "";
  return names.length > 0 ? ` (${names.join(", ")}${more})` : "";
}

function invalidValueProblem({ name }: IssueField, why: string): Problem {
  return new Problem("INVALID_REQUEST", `Invalid value for the field ${name}: ${why}.`, {
    details: { field: "fields" },
  });
}

function hasSameText(text: string, other: string): boolean {
  return text.trim().toLowerCase() === other.trim().toLowerCase();
}
