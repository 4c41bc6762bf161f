import { createHash } from "node:crypto";
import type { Tool as ServerTool } from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";
import type { Access } from "../service.ts";
import type { McpTool } from "./definition.ts";
import { sanitizeSchema } from "./schema.ts";

/** Tools of one server. */
const MOST_TOOLS = 120;
const LONGEST_DESCRIPTION = 600;
const LONGEST_REMOTE = 200;
/** Providers of models take names of 64 characters, in which the dot becomes two. */
const LONGEST_NAME = 63;

const NO_INPUT = "its input is described in a way that kay does not take";
/** Calls that are begun now and asked about later (MCP 2025-11-25, "Tasks"). */
const NO_TASKS = "it works only as a task, which kay does not have";

/** A server's tools in kay's form, by name, and sentences about those that kay does not take. */
export type ToolList = { tools: McpTool[]; left: string[] };

/** What a server lists, which is hostile until here. */
export function toToolList(service: string, listed: ServerTool[]): ToolList {
  const left: string[] = [];
  const taken = new Set<string>();
  const tools = [...new Map(listed.map((tool) => [tool.name, tool])).values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((tool) => {
      const input = tool.name.length <= LONGEST_REMOTE ? sanitizeSchema(tool.inputSchema) : undefined;
      const lacks = tool.execution?.taskSupport === "required" ? NO_TASKS : input ? undefined : NO_INPUT;
      if (!input || lacks) {
        left.push(`${cleanLine(tool.name, 60) || "A tool without a name"} is left out: ${lacks}.`);
        return [];
      }
      const name = freeName(service, tool.name, taken);
      taken.add(name);
      return [getTool(name, tool, input)];
    });
  if (tools.length > MOST_TOOLS) left.push(`It has ${tools.length} tools; kay takes the first ${MOST_TOOLS}.`);
  return { tools: tools.slice(0, MOST_TOOLS).sort((a, b) => (a.name < b.name ? -1 : 1)), left: left.slice(0, 20) };
}

function getTool(name: string, tool: ServerTool, input: Record<string, unknown>): McpTool {
  const { annotations = {}, title, description = "" } = tool;
  const access = getAccess(annotations);
  const output = tool.outputSchema === undefined ? undefined : sanitizeSchema(tool.outputSchema);
  const words = cleanLine(description, LONGEST_DESCRIPTION) || cleanLine(title ?? annotations.title ?? "", 100);
  return {
    name,
    remote: tool.name,
    description: words,
    access,
    repeatable: access === "read" || annotations.idempotentHint === true,
    input,
    ...(output ? { output } : {}),
  };
}

/** What a server claims of a tool; where it claims nothing, the worst is taken (MCP, "ToolAnnotations"). */
function getAccess({ readOnlyHint, destructiveHint }: NonNullable<ServerTool["annotations"]>): Access {
  if (readOnlyHint === true) return "read";
  return destructiveHint === false ? "write" : "destructive";
}

/** `list-Directory` becomes `files.list_directory`; what has no such name gets one that stays the same. */
function freeName(service: string, remote: string, taken: Set<string>): string {
  const most = LONGEST_NAME - service.length - 1;
  const words = remote
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[_0-9]+|_+$/g, "");
  const mark = createHash("sha256").update(remote).digest("hex").slice(0, 6);
  const cut = words.length <= most ? words : `${words.slice(0, most - 7).replace(/_+$/, "")}_${mark}`;
  const name = `${service}.${cut || `tool_${mark}`}`;
  return taken.has(name) ? `${service}.${`${cut || "tool"}`.slice(0, most - 7).replace(/_+$/, "")}_${mark}` : name;
}
