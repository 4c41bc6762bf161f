import type { McpDefinition, McpTool } from "#connectors/mcp/definition";

/** What models and people are told of a tool: the server's words, as words of the server. */
export function formatDescription(title: string, { description, remote }: McpTool): string {
  return description === ""
    ? `${remote.slice(0, 60)}, a tool of the MCP server ${title}.`
    : `${title} (MCP server) says: ${description}`;
}

/** Plain requests for a tool, from its name and what it needs: the offline planner knows no others. */
export function buildExamples({ name: service }: McpDefinition, { name, input }: McpTool): string[] {
  const verb = (name.split(".")[1] ?? "").replaceAll("_", " ");
  const required = Array.isArray(input.required) ? input.required.filter((field) => /^\w+$/.test(String(field))) : [];
  const slots = required.slice(0, 3).map((field) => `{${field}}`);
  const [first] = slots;
  return [
    ...(slots.length > 0 ? [`${verb} ${slots.join(" ")}`] : []),
    ...(slots.length > 1 && first ? [`${verb} ${first}`] : []),
    verb,
    `${verb} in ${service}${first ? ` ${first}` : ""}`,
  ];
}

/** Values of a summary, each cut so that the others are seen too. */
const LONGEST_VALUE = 80;

/** A call as approvals and receipts tell it: the tool's name, and everything that it is given. */
export function formatSummary(title: string, { name }: McpTool, input: Record<string, unknown>): string {
  const verb = (name.split(".")[1] ?? "").replaceAll("_", " ");
  const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
  const told = given.map(([field, value]) => `${field} “${short(value)}”`).join(", ");
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} in ${title}${told ? `: ${told}` : ""}`;
}

function short(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`;
}
