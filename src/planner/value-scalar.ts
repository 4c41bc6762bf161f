import { toRecord } from "./memory.ts";
import { splitName } from "./value-names.ts";

/** A value as a string of a format; an object by the name that it has for people. Undefined where it is none. */
export function toStringValue(value: unknown, format: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) {
    const parts = value.map((each) => toStringValue(each, format));
    return parts.every((part) => part !== undefined) ? parts.join(", ") : undefined;
  }
  if (typeof value === "object" && value !== null) return findByName(value, format);
  if (typeof value !== "string") return undefined;
  if (format === "date") return getDay(value);
  return format === "date-time" ? getMoment(value) : value;
}

/** A value as a number. A list is how long it is. */
export function toNumberValue(value: unknown, whole: boolean): number | undefined {
  const number = Array.isArray(value)
    ? value.length
    : typeof value === "string" && value.trim()
      ? Number(value)
      : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
  return whole && !Number.isInteger(number) ? undefined : number;
}

export function toBooleanValue(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" || typeof value === "number" ? String(value).toLowerCase() : "";
  return YES.has(word) ? true : NO.has(word) ? false : undefined;
}

/** The one of some values that is meant: written otherwise, or saying the same of how far something is. */
export function toEnumValue(values: unknown[], value: unknown): unknown {
  const text = toStringValue(value, undefined);
  if (text === undefined) return values.includes(value) ? value : undefined;
  const said = splitName(text).join("");
  const of = (each: unknown) => splitName(String(each)).join("");
  const stage = STAGES.find((words) => words.includes(said));
  return values.find((each) => of(each) === said) ?? values.find((each) => stage?.includes(of(each)));
}

/** Whether a state of something answers a yes-or-no name such as "open" or "done"; undefined where it does not. */
export function matchStage(name: string, state: unknown): boolean | undefined {
  const word = splitName(name).at(-1) ?? "";
  const said = splitName(toStringValue(state, undefined) ?? "").join("");
  const stage = STAGES.findIndex((words) => words.includes(word));
  const now = STAGES.findIndex((words) => words.includes(said));
  if (stage < 0 || now < 0) return undefined;
  // What is being worked on is not closed either.
  return word === "open" ? now !== STAGES.length - 1 : stage === now;
}

function findByName(value: object, format: unknown): string | undefined {
  const item = toRecord(value);
  const names = format === "email" ? ["email"] : ["name", "display_name", "title", "summary", "key", "email", "id"];
  const found = names.map((name) => item[name]).find((each) => typeof each === "string" || typeof each === "number");
  return found === undefined ? undefined : String(found);
}

function getDay(text: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0];
}

function getMoment(text: string): string | undefined {
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

const YES = new Set(["true", "yes", "1", "y"]);
const NO = new Set(["false", "no", "0", "n"]);

/** How far something is: not begun, under way, over. */
const STAGES = [
  ["open", "todo", "new", "backlog", "unresolved", "pending", "reopened"],
  ["inprogres", "inprogress", "started", "doing", "active", "inreview", "review"],
  ["done", "closed", "resolved", "complete", "completed", "finished", "merged", "declined", "cancelled"],
];
