import type { Skill } from "./catalogue.ts";
import type { Value } from "./clauses.ts";
import { type Field, isLongText } from "./fields.ts";
import { type CompletedCall, getFieldValue, getService, type Memory, toRecord } from "./memory.ts";
import { getTitle } from "./passage.ts";
import { type FormAnswers, parseClauseIndex } from "./plan.ts";
import { formatFormPrompt, formatLeftOut } from "./reply.ts";
import { parseTime } from "./times.ts";
import type { Reading } from "./understand.ts";

/** The tool that puts a form before the person, where the agent has one. */
export const ASK_USER_TOOL = "ask_user";

/** The input of `ask_user` for what a reading lacks: one field for each, with what was just found to choose from. */
export function buildForm({ skill, missing }: Reading, memory: Memory, leftOut?: string): Reading["input"] {
  const prompt = formatFormPrompt(skill, missing);
  return {
    question: leftOut ? `${formatLeftOut(`“${leftOut}”`)} ${prompt}` : prompt,
    fields: missing.map((field) => {
      const options = listChoices(skill, field, memory);
      return options.length > 1 ? { ...formField(field), type: "select", options } : formField(field);
    }),
  } as unknown as Reading["input"];
}

/** The things that the service just found, as values of a field: the mails that "reply" may be about. */
export function listChoices(
  { service }: Skill,
  field: Field,
  { asked: [last], items }: Memory,
): { value: string; label: string }[] {
  const isThing =
    last && getService(last.tool) === service && field.required && ["key", "name", "number"].includes(field.kind);
  return (isThing ? items.slice(0, MOST_CHOICES) : []).flatMap((item) => {
    const value = getFieldValue(item, field);
    return value === undefined ? [] : [{ value: String(value), label: getTitle({ data: item }) ?? String(value) }];
  });
}

const MOST_CHOICES = 10;

/** Forms of this turn that were sent in, with what was known before. */
export function collectAnswers(turn: CompletedCall[], before: FormAnswers): FormAnswers {
  const answers = { ...before };
  for (const { tool, id, result } of turn) {
    const data = toRecord(result?.data ?? result);
    if (tool !== ASK_USER_TOOL || data.ok !== true) continue;
    answers[parseClauseIndex(id)] = { ...answers[parseClauseIndex(id)], ...toRecord(data.answers) };
  }
  return answers;
}

/** How a form of this turn ended without an answer: cancelled, or no client could show it. */
export function findUnanswered(turn: CompletedCall[]): "cancelled" | "unavailable" | undefined {
  for (const { tool, error, result } of turn) {
    if (tool !== ASK_USER_TOOL) continue;
    const data = toRecord(result?.data ?? result);
    if ([error?.code, toRecord(data.error).code].includes("INTERACTION_UNAVAILABLE")) return "unavailable";
    if (data.ok === false) return "cancelled";
  }
  return undefined;
}

/**
 * Converts answers for their fields: numbers to numbers, days to days, keys to capitals. Invalid values are left out.
 */
export function toFieldValues(fields: Field[], answers: Record<string, unknown>, now: number): Reading["input"] {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = valueFor(field, answers[field.name], now);
      return value === undefined ? [] : [[field.name, field.list ? [value].flat() : value]];
    }),
  );
}

function formField(field: Field): Record<string, unknown> {
  const { name, description, required, initial, closed, values } = field;
  const label = name.replace(/[_-]+/g, " ");
  return {
    id: name,
    type: field.kind === "boolean" ? "checkbox" : closed ? "select" : isLongText(field) ? "textarea" : "text",
    label: label.charAt(0).toUpperCase() + label.slice(1),
    ...(description ? { description } : {}),
    // A box that is not ticked is an answer too.
    required: required && field.kind !== "boolean",
    ...(initial !== undefined ? { defaultValue: initial } : {}),
    ...(closed ? { options: values.map(({ value }) => ({ value, label: value })) } : {}),
  };
}

function valueFor(field: Field, answer: unknown, now: number): Value | Value[] | undefined {
  if (Array.isArray(answer)) return answer.flatMap((each) => valueFor({ ...field, list: false }, each, now) ?? []);
  if (field.kind === "boolean") return answer === true || answer === "true";
  if (typeof answer === "number") return field.kind === "number" ? answer : String(answer);
  if (typeof answer !== "string" || answer.trim() === "") return undefined;
  const text = answer.trim();
  if (field.list)
    return valueFor(
      field,
      text.split(",").map((one) => one.trim()),
      now,
    );
  if (field.kind === "number") return /^#?-?\d+(\.\d+)?$/.test(text) ? Number(text.replace("#", "")) : undefined;
  if (field.kind === "date") return parseTime(text, now) ?? text;
  if (field.kind === "key") return text.toUpperCase();
  return field.values.find(({ value }) => value.toLowerCase() === text.toLowerCase())?.value ?? answer;
}
