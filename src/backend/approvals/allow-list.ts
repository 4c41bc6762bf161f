import type { ServiceConfiguration } from "#connectors/service";
import { cleanLine } from "#protocol/clean";
import { findClosestName, suggestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";

/** An entry of the caller's list: a tool everywhere, or in one place. */
type AllowEntry = { tool: string; resource?: string };

/**
 * Returns the entry that covers a call, if any: one for its tool, either without a place or with the place that the
 * tool names.
 *
 * @param resource in the tool's words with their preposition: "to #ci"
 */
export function findAllowEntry(entries: string[], tool: string, resource: string | undefined): string | undefined {
  return entries.find((entry) => {
    const { tool: name, resource: allowedResource } = getEntry(entry);
    if (name !== tool) return false;
    return allowedResource === undefined || (resource !== undefined && isPlace(allowedResource, resource));
  });
}

/**
 * Checks that each entry names an existing tool. An entry cannot allow a whole service or a pattern.
 *
 * @throws Problem INVALID_REQUEST with the nearest name
 */
export function checkAllowEntries(services: ServiceConfiguration[], entries: string[]): void {
  const tools = services.flatMap(({ service }) => service.tools);
  for (const entry of entries) {
    const { tool: name, resource } = getEntry(entry);
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw unknownToolProblem(services, entry, name);
    if (resource === "") throw allowEntryProblem(entry, `“${format(entry)}” names no target after the colon.`);
    if (resource === undefined || tool.resource) continue;
    throw allowEntryProblem(entry, `${name} has no target that could be named. Allow the whole tool.`);
  }
}

function unknownToolProblem(services: ServiceConfiguration[], entry: string, name: string): Problem {
  const service = services.find(
    ({ service: candidate }) => candidate.name === name || name === `${candidate.name}.*`,
  )?.service;
  const names = (service ? [service] : services.map((candidate) => candidate.service)).flatMap(({ tools }) =>
    tools.map((tool) => tool.name),
  );
  if (service || name.includes("*"))
    return allowEntryProblem(entry, `“${format(entry)}” is more than one tool; each tool is allowed by its own name.`);
  const near = findClosestName(name, names);
  const guess = near ? ` ${suggestName(name, names)}` : "";
  return allowEntryProblem(entry, `Unknown tool “${format(name)}” in the list of allowed tools.${guess}`, near);
}

function allowEntryProblem(entry: string, message: string, nearest?: string): Problem {
  return new Problem("INVALID_REQUEST", message, {
    hint: "Run `kay tools list` to see every tool; an entry is `slack.send_message` or `slack.send_message:#ci`.",
    details: { field: "allow", entry: format(entry), ...(nearest ? { nearest } : {}) },
  });
}

function getEntry(entry: string): AllowEntry {
  const colon = entry.indexOf(":");
  if (colon < 0) return { tool: entry.trim() };
  return { tool: entry.slice(0, colon).trim(), resource: normalizeSpaces(entry.slice(colon + 1)) };
}

/**
 * Whether an entry names the place of a call: in all of the tool's words, or by the name or ID alone. Names compare without case. An ID is only
 * itself, since anyone can name a channel `c0enginee2` after the ID `C0ENGINEE2`.
 */
function isPlace(entryName: string, resource: string): boolean {
  return getNames(normalizeSpaces(resource)).some((name) => {
    if (name === entryName) return true;
    if (ID.test(entryName)) return false;
    if (name === name.toLowerCase()) return name === entryName.toLowerCase();
    return name === name.toUpperCase() && name === entryName.toUpperCase();
  });
}

/** IDs as services write them: capitals with a digit among them. */
const ID = /^(?=.*\d)[A-Z\d]{6,}$/;

/** "to #ci" is #ci and ci; "in the document “launch plan”" is “launch plan” and launch plan. */
function getNames(words: string): string[] {
  const name = words.replace(LEAD, "");
  const unquoted = /^“[^“”]*”$/.test(name) ? name.slice(1, -1) : name.replace(/^#/, "");
  return [words, name, unquoted];
}

const LEAD =
  /^(?:to|in|on|for|with|without|among) (?:(?:the (?:conversation|person|document|spreadsheet|folder|page|database|table|post|deal|contact|file)|project|repository|space) )?/;

function normalizeSpaces(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, " ").trim();
}

function format(text: string): string {
  return cleanLine(text, 60);
}
