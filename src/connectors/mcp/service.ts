import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import type { Fetch } from "#net/ports";
import { defineTool, type Identity, type RawAccess, type Service, type Tool, type ToolContext } from "../service.ts";
import { parseChallenge } from "./challenge.ts";
import type { McpServerRef } from "./client-options.ts";
import type { McpClientPool } from "./client-pool.ts";
import { formatMcpPlace, type McpDefinition, type McpTool, toCredential } from "./definition.ts";
import { createElicitationHandler, type ElicitationHandler } from "./elicitation.ts";
import { toToolResult } from "./result.ts";
import { diffTools, hasDifferences } from "./tool-diff.ts";
import { validateInput } from "./validate.ts";

/** What a server is reached with. `offered` is what it listed last, where that is not what was approved. */
export type McpAccess = {
  links: McpClientPool;
  fetch: Fetch;
  key: string;
  offered?: McpTool[];
  listed: NonNullable<McpServerRef["listed"]>;
};

/** An MCP server as every other service: the tools that were approved and that it still has. */
export function createMcpService(definition: McpDefinition, reach: McpAccess): Service {
  const { name, title, place, auth, tools } = definition;
  const offered = reach.offered && new Map(reach.offered.map((tool) => [tool.name, tool]));
  return {
    name,
    title,
    oauth:
      auth.type === "oauth2"
        ? { provider: name, scopes: [], pkce: true, clientAuth: "none", refresh: "rotating" }
        : { provider: name, scopes: [], pkce: false, clientAuth: "none", refresh: "none" },
    endpoints: { authorize: "", token: "", api: formatMcpPlace(place) },
    ...(auth.type === "oauth2" ? {} : { credential: toCredential(auth) }),
    identify: async () => anonymousIdentity(definition),
    tools: tools.flatMap((tool) => {
      const now = offered?.get(tool.name);
      if (offered && !now) return [];
      return [mcpTool(definition, tool, now ?? tool, reach)];
    }),
  };
}

/** A server does not say whose key it is: such an account is nobody whom kay would know again. */
export function anonymousIdentity({ place }: Pick<McpDefinition, "place">): Identity {
  return { accountId: randomUUID(), user: {}, metadata: "url" in place ? { url: place.url } : {} };
}

function mcpTool(definition: McpDefinition, tool: McpTool, now: McpTool, reach: McpAccess): Tool {
  const { title } = definition;
  const doubtful = hasDifferences(diffTools([tool], [now]));
  return defineTool<Record<string, unknown>>({
    name: tool.name,
    description: formatDescription(title, tool),
    access: tool.access,
    suspendable: true,
    input: z.record(z.string(), z.unknown()),
    schema: tool.input,
    check: (input) => validateInput(tool.name, tool.input, input),
    examples: buildExamples(definition, tool),
    summary: (input) => formatSummary(title, tool, input),
    async run(input, context) {
      const asked = createElicitationHandler(context.people, { title, where: whereIs(definition) });
      const answer = await called(definition, tool, { input, doubtful, context, asked }, reach);
      const result = toToolResult(title, tool, answer);
      const notes = asked.notes();
      return notes.length === 0 ? result : { ...result, text: [result.text, ...notes].join("\n\n") };
    },
  });
}

async function called(
  definition: McpDefinition,
  tool: McpTool,
  {
    input,
    doubtful,
    context,
    asked,
  }: { input: Record<string, unknown>; doubtful: boolean; context: ToolContext; asked: ElicitationHandler },
  { links, fetch, key, listed }: McpAccess,
) {
  const { signal, people, raw } = context;
  const secret = definition.auth.type === "none" || !raw ? {} : { secret: getSecret(raw) };
  const result = await links.call({ key, definition, fetch, listed, ...secret }, tool, input, {
    signal,
    doubtful,
    onElicitation: asked.answer,
    ...(raw ? { sent: raw.sent, unsent: raw.unsent } : {}),
    ...(people ? { log: people.log, onProgress: people.log } : {}),
  });
  if (result.isError !== true) raw?.wrote();
  return result;
}

/** A token that is not good enough is asked for once more, with what it lacks; one that is no good is renewed. */
function getSecret(raw: RawAccess): NonNullable<McpServerRef["secret"]> {
  return {
    token: raw.token,
    rejected: async (token, refusal) => {
      if (refusal?.status === 403)
        await raw.lacks(parseChallenge(new Headers({ "www-authenticate": refusal.challenge ?? "" })).scopes);
      return await raw.rejected(token);
    },
  };
}

/** The host of a server, or the program. */
function whereIs({ place }: McpDefinition): string {
  return "url" in place ? new URL(place.url).host : formatMcpPlace(place);
}

/** What models and people are told of a tool: the server's words, as words of the server. */
function formatDescription(title: string, { description, remote }: McpTool): string {
  return description === ""
    ? `${remote.slice(0, 60)}, a tool of the MCP server ${title}.`
    : `${title} (MCP server) says: ${description}`;
}

/** Plain requests for a tool, from its name and what it needs: the offline planner knows no others. */
function buildExamples({ name: service }: McpDefinition, { name, input }: McpTool): string[] {
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
function formatSummary(title: string, { name }: McpTool, input: Record<string, unknown>): string {
  const verb = (name.split(".")[1] ?? "").replaceAll("_", " ");
  const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
  const told = given.map(([field, value]) => `${field} “${short(value)}”`).join(", ");
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} in ${title}${told ? `: ${told}` : ""}`;
}

function short(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`;
}
