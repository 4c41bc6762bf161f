import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { defineTool, type ServiceRequest, type Tool } from "../service.ts";
import type { ToolDescription } from "./description.ts";
import { toInputSchema } from "./input.ts";
import { toToolResult } from "./result.ts";
import { fillJson, fillLine, fillPath, fillText, formatValue, listSlots, type Values } from "./template.ts";

/** Converts a description to a tool that sends one request below the address `api`, built from its templates. */
export function createCustomTool(tool: ToolDescription, { title, api }: { title: string; api: string }): Tool {
  return defineTool<Values>({
    name: tool.name,
    description: tool.description,
    access: tool.access,
    egress: tool.access === "read" && Object.keys(tool.input?.properties ?? {}).length > 0,
    input: toInputSchema(tool.input),
    examples: tool.examples,
    summary: (input) => (tool.summary ? fillLine(tool.summary, input) : buildDefaultSummary(tool, title, input)),
    async run(input, { http }) {
      const answer = await http.request(getRequest(tool, api, input));
      return toToolResult(title, tool.result, answer, input);
    },
  });
}

/** Returns the summary of a tool whose description has none: its name and all arguments. */
function buildDefaultSummary(tool: ToolDescription, title: string, input: Values): string {
  const verb = (tool.name.split(".")[1] ?? "").replaceAll("_", " ");
  const present = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
  const formatted = present.map(([name, value]) => `${name} “${formatValue(value)}”`).join(", ");
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} in ${title}${formatted ? `: ${formatted}` : ""}`;
}

function getRequest(tool: ToolDescription, base: string, input: Values): ServiceRequest<unknown> {
  const { method, access } = tool;
  const body = tool.body === undefined ? undefined : fillJson(tool.body, input);
  return {
    method,
    path: getPath(tool, base, input),
    query: getQuery(tool, input),
    headers: getHeaders(tool, input),
    ...(body === undefined ? {} : { body }),
    answer: z.unknown(),
    ...(access === "read" && method === "POST" ? { reads: true } : {}),
  };
}

/** Fills the path. No value may change its structure. */
function getPath(tool: ToolDescription, base: string, input: Values): string {
  const path = fillPath(tool.path, input);
  if (path !== undefined && URL.parse(base + path)?.href === base + path) return path;
  const [field] = listSlots(tool.path);
  throw new Problem("INVALID_REQUEST", `The input of ${tool.name} does not fit its path.`, {
    hint: "",
    details: field ? { field } : {},
  });
}

function getQuery(tool: ToolDescription, input: Values): Record<string, string | number | boolean | undefined> {
  const entries = Object.entries(tool.query ?? {});
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "string" ? fillText(value, input) : value]),
  );
}

/** @throws Problem INVALID_REQUEST for a value with a line break or another character that headers do not allow */
function getHeaders(tool: ToolDescription, input: Values): Record<string, string> {
  const filled = Object.entries(tool.headers ?? {}).flatMap(([name, template]) => {
    const value = fillText(template, input);
    if (value === undefined) return [];
    if (/^[\x20-\x7e]*$/.test(value)) return [[name.toLowerCase(), value]];
    const [field = name] = listSlots(template);
    throw new Problem("INVALID_REQUEST", `“${field}” has characters that are not allowed in the header ${name}.`, {
      hint: "",
      details: { field },
    });
  });
  return Object.fromEntries(filled);
}
