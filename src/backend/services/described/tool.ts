import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { defineTool, type ServiceRequest, type Tool } from "../service.ts";
import { inputSchema } from "./input.ts";
import { resultOf } from "./result.ts";
import type { DescribedTool } from "./shape.ts";
import { fillJson, fillLine, fillPath, fillText, slotsOf, textOf, type Values } from "./template.ts";

/** A described tool as every other tool: one request below the address `api`, made from its templates. */
export function describedTool(tool: DescribedTool, { title, api }: { title: string; api: string }): Tool {
  return defineTool<Values>({
    name: tool.name,
    description: tool.description,
    access: tool.access,
    input: inputSchema(tool.input),
    examples: tool.examples,
    summary: (input) => (tool.summary ? fillLine(tool.summary, input) : plainSummary(tool, title, input)),
    async run(input, { http }) {
      const answer = await http.request(requestOf(tool, api, input));
      return resultOf(title, tool.result, answer, input);
    },
  });
}

/** Without words of its own, a call is told by the tool's name and everything that it is given. */
function plainSummary(tool: DescribedTool, title: string, input: Values): string {
  const verb = (tool.name.split(".")[1] ?? "").replaceAll("_", " ");
  const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
  const told = given.map(([name, value]) => `${name} “${textOf(value)}”`).join(", ");
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} in ${title}${told ? `: ${told}` : ""}`;
}

function requestOf(tool: DescribedTool, base: string, input: Values): ServiceRequest<unknown> {
  const { method, access } = tool;
  const body = tool.body === undefined ? undefined : fillJson(tool.body, input);
  return {
    method,
    path: pathOf(tool, base, input),
    query: queryOf(tool, input),
    headers: headersOf(tool, input),
    ...(body === undefined ? {} : { body }),
    answer: z.unknown(),
    ...(access === "read" && method === "POST" ? { reads: true } : {}),
  };
}

/** The path with its values, which stays the one that was described: no value may lead up, away, or to nothing. */
function pathOf(tool: DescribedTool, base: string, input: Values): string {
  const path = fillPath(tool.path, input);
  if (path !== undefined && URL.parse(base + path)?.href === base + path) return path;
  const [field] = slotsOf(tool.path);
  throw new Problem("INVALID_REQUEST", `The input of ${tool.name} does not fit its address.`, {
    hint: "",
    details: field ? { field } : {},
  });
}

function queryOf(tool: DescribedTool, input: Values): Record<string, string | number | boolean | undefined> {
  const entries = Object.entries(tool.query ?? {});
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "string" ? fillText(value, input) : value]),
  );
}

/** @throws Problem INVALID_REQUEST for a value that would end the header's line, or that no header can have */
function headersOf(tool: DescribedTool, input: Values): Record<string, string> {
  const filled = Object.entries(tool.headers ?? {}).flatMap(([name, template]) => {
    const value = fillText(template, input);
    if (value === undefined) return [];
    if (/^[\x20-\x7e]*$/.test(value)) return [[name.toLowerCase(), value]];
    const [field = name] = slotsOf(template);
    throw new Problem("INVALID_REQUEST", `“${field}” has characters that the header ${name} cannot have.`, {
      hint: "",
      details: { field },
    });
  });
  return Object.fromEntries(filled);
}
