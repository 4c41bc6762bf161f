import { hash } from "node:crypto";
import type { Tool as ServerTool } from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";
import { toWireName } from "#protocol/tool-names";
import type { Access } from "../../tool.ts";
import type { McpTool } from "../definition.ts";
import { PROBLEM_KEY } from "../transport/repair-items.ts";
import { sanitizeSchema } from "./schema.ts";

/** Maximum number of tools of one server. */
const MAX_TOOLS = 120;
const MAX_DESCRIPTION_LENGTH = 600;
const MAX_REMOTE_NAME_LENGTH = 200;
/** Model providers allow tool names of 64 characters. */
const MAX_WIRE_NAME_LENGTH = 64;

const NO_INPUT = "kay does not support its input schema";

/** A server's tools in kay's form, by name, and notes about the ones that kay skipped. */
export type ToolList = { tools: McpTool[]; left: string[] };

/** Converts a server's tool list, which is untrusted up to here. */
export function toToolList(service: string, serverTools: ServerTool[]): ToolList {
  const notes: string[] = [];
  const usedNames = new Set<string>();
  const tools = [...new Map(serverTools.map((tool) => [tool.name, tool])).values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((tool) => {
      const input = tool.name.length <= MAX_REMOTE_NAME_LENGTH ? sanitizeSchema(tool.inputSchema) : undefined;
      const problem = getProblem(tool) ?? (input ? undefined : NO_INPUT);
      if (!input || problem) {
        notes.push(`${cleanLine(tool.name, 60) || "A tool without a name"} was skipped: ${problem}.`);
        return [];
      }
      const name = createToolName(service, tool.name, usedNames);
      usedNames.add(name);
      return [toMcpTool(name, tool, input)];
    });
  if (tools.length > MAX_TOOLS) notes.push(`The server has ${tools.length} tools; kay uses the first ${MAX_TOOLS}.`);
  return { tools: tools.slice(0, MAX_TOOLS).sort((a, b) => (a.name < b.name ? -1 : 1)), left: notes.slice(0, 20) };
}

/** Returns what is wrong with a tool that is not as MCP requires. */
function getProblem({ _meta }: ServerTool): string | undefined {
  const problem = _meta?.[PROBLEM_KEY];
  return typeof problem === "string" ? cleanLine(problem, 160) : undefined;
}

function toMcpTool(name: string, tool: ServerTool, input: Record<string, unknown>): McpTool {
  const { annotations = {}, title, description = "" } = tool;
  const access = getAccess(annotations);
  const output = tool.outputSchema === undefined ? undefined : sanitizeSchema(tool.outputSchema);
  const text = cleanLine(description, MAX_DESCRIPTION_LENGTH) || cleanLine(title ?? annotations.title ?? "", 100);
  return {
    name,
    remote: tool.name,
    description: text,
    access,
    repeatable: access === "read" || annotations.idempotentHint === true,
    ...(annotations.openWorldHint === false ? { closed: true } : {}),
    input,
    ...(output ? { output } : {}),
  };
}

/**
 * Returns the access that a server declares for a tool, or `destructive` if it declares none (MCP, "ToolAnnotations").
 */
function getAccess({ readOnlyHint, destructiveHint }: NonNullable<ServerTool["annotations"]>): Access {
  if (readOnlyHint === true) return "read";
  return destructiveHint === false ? "write" : "destructive";
}

/** Converts `list-Directory` to `files.list_directory`. A name that cannot be converted gets a stable substitute. */
function createToolName(service: string, remote: string, usedNames: Set<string>): string {
  const longest = MAX_WIRE_NAME_LENGTH - toWireName(`${service}.`).length;
  const words = remote
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[_0-9]+|(?<!_)_+$/g, "");
  const mark = hash("sha256", remote, "hex").slice(0, 6);
  const cut = words.length <= longest ? words : `${words.slice(0, longest - 7).replace(/(?<!_)_+$/, "")}_${mark}`;
  const name = `${service}.${cut || `tool_${mark}`}`;
  return usedNames.has(name)
    ? `${service}.${`${cut || "tool"}`.slice(0, longest - 7).replace(/(?<!_)_+$/, "")}_${mark}`
    : name;
}
