import { Problem } from "#protocol/errors";
import { checkLength, parseDay, requireTitle, splitList } from "../input-text.ts";
import { parseIssueKey } from "./issue.ts";

/** Longest summary that Jira accepts, in characters. */
const SUMMARY_LIMIT = 255;

/** Checks a summary, which is one line. @throws Problem INVALID_REQUEST */
export function checkSummary(text: string): string {
  const summary = requireTitle(text, "An issue", { noun: "summary", field: "summary" });
  const hint = "Put the rest into the description.";
  checkLength(summary, SUMMARY_LIMIT, { service: "Jira", noun: "summary", field: "summary", hint });
  return summary;
}

/** Returns the value of a priority as Jira names it. */
export function toPriority(text: string): { name: string } {
  return { name: capitalize(text.trim()) };
}

/** Parses a due date; "none" clears it. @throws Problem INVALID_REQUEST */
export function parseDueDate(text: string): string | null {
  return isNone(text) ? null : (parseDay(text, "due") ?? null);
}

/** Parses labels separated by commas. Jira's labels have no spaces. @throws Problem INVALID_REQUEST */
export function parseLabels(text: string | undefined): string[] {
  const labels = splitList(text);
  const spaced = labels.find((label) => /\s/.test(label));
  if (spaced === undefined) return [...new Set(labels)];
  throw new Problem("INVALID_REQUEST", `The label “${spaced}” has a space, which Jira does not allow.`, {
    hint: "Separate labels by commas, and use a hyphen within one.",
    details: { field: "labels" },
  });
}

/** Parses a parent; "none" clears it. @throws Problem INVALID_REQUEST */
export function parseParent(text: string): { key: string } | null {
  return isNone(text) ? null : { key: parseIssueKey(text) };
}

export function isNone(text: string): boolean {
  return /^(none|nothing|no|empty)$/i.test(text.trim());
}

/** Writes a name in lower case as Jira does: `high` is High, `QA` stays. */
export function capitalize(text: string): string {
  return text === text.toLowerCase() ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
