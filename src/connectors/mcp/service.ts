import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import type { Fetch } from "#net/ports";
import type { Identity } from "../oauth.ts";
import type { Service } from "../service.ts";
import { defineTool, type RawAccess, type Tool, type ToolContext } from "../tool.ts";
import type { McpServerRef } from "./client-options.ts";
import type { McpClientPool } from "./client-pool.ts";
import { formatMcpPlace, getAccess, type McpDefinition, type McpTool, toCredential } from "./definition.ts";
import { createElicitationHandler, type ElicitationHandler } from "./elicitation.ts";
import { toToolResult } from "./tools/result.ts";
import { diffTools, hasDifferences } from "./tools/tool-diff.ts";
import { validateInput } from "./tools/validate.ts";
import { parseChallenge } from "./transport/challenge.ts";

/** How a server is reached. `offered` is its last tool list, if that differs from the approved one. */
export type McpAccess = {
  pool: McpClientPool;
  fetch: Fetch;
  key: string;
  offered?: McpTool[];
  onList: NonNullable<McpServerRef["onList"]>;
};

/** Converts an MCP server to a service with the approved tools that it still has. */
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
    identify: async () => createAnonymousIdentity(definition),
    tools: tools.flatMap((tool) => {
      const now = offered?.get(tool.name);
      if (offered && !now) return [];
      return [createMcpTool(definition, tool, now ?? tool, reach)];
    }),
  };
}

/**
 * Returns an identity with a random account ID. A server does not say whose key it is, so kay never treats two
 * connections as the same account.
 */
export function createAnonymousIdentity({ place }: Pick<McpDefinition, "place">): Identity {
  return { accountId: randomUUID(), user: {}, metadata: "url" in place ? { url: place.url } : {} };
}

function createMcpTool(definition: McpDefinition, tool: McpTool, now: McpTool, reach: McpAccess): Tool {
  const { title } = definition;
  const access = getAccess(definition, tool);
  const doubtful = hasDifferences(diffTools([tool], [now]));
  return defineTool<Record<string, unknown>>({
    name: tool.name,
    description: formatDescription(title, tool),
    access,
    egress: access === "read" && !tool.closed,
    suspendable: true,
    input: z.record(z.string(), z.unknown()),
    schema: tool.input,
    check: (input) => validateInput(tool.name, tool.input, input),
    examples: buildExamples(definition, tool),
    summary: (input) => formatSummary(title, tool, input),
    async run(input, context) {
      const handler = createElicitationHandler(context.people, { title, where: formatLocation(definition) });
      const answer = await runMcpTool(definition, tool, { input, doubtful, context, asked: handler }, reach);
      const result = toToolResult(title, tool, answer);
      const notes = handler.notes();
      return notes.length === 0 ? result : { ...result, text: [result.text, ...notes].join("\n\n") };
    },
  });
}

async function runMcpTool(
  definition: McpDefinition,
  tool: McpTool,
  {
    input,
    doubtful,
    context,
    asked,
  }: { input: Record<string, unknown>; doubtful: boolean; context: ToolContext; asked: ElicitationHandler },
  { pool: links, fetch, key, onList }: McpAccess,
) {
  const { signal, people, raw } = context;
  const writes = getAccess(definition, tool) !== "read";
  const secret = definition.auth.type === "none" || !raw ? {} : { secret: createSecret(raw) };
  const result = await links.call({ key, definition, fetch, onList, ...secret }, tool, input, {
    signal,
    writes,
    // The server's claim that a tool only reads does not count if the user does not trust it.
    repeatable: tool.repeatable && !(tool.access === "read" && writes),
    doubtful,
    onElicitation: asked.answer,
    ...(raw ? { sent: raw.sent, unsent: raw.unsent, task: raw.task } : {}),
    ...(people ? { log: people.log, onProgress: people.log } : {}),
  });
  if (result.isError !== true) raw?.wrote();
  return result;
}

/**
 * Returns the secret's callbacks. A token without a required scope starts a new consent; an invalid one is refreshed.
 */
function createSecret(raw: RawAccess): NonNullable<McpServerRef["secret"]> {
  return {
    token: raw.token,
    renewToken: async (token, refusal) => {
      if (refusal?.status === 403)
        await raw.lacks(parseChallenge(new Headers({ "www-authenticate": refusal.challenge ?? "" })).scopes);
      return await raw.renewToken(token);
    },
  };
}

/** Returns the server's host, or its program. */
function formatLocation({ place }: McpDefinition): string {
  return "url" in place ? new URL(place.url).host : formatMcpPlace(place);
}

/** Formats a tool's description for models and users, marked as the server's text. */
function formatDescription(title: string, { description, remote }: McpTool): string {
  return description === ""
    ? `${remote.slice(0, 60)}, a tool of the MCP server ${title}.`
    : `${title} (MCP server) says: ${description}`;
}

/** Builds example requests from a tool's name and required fields, since the offline planner has no others. */
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

/** Longest value in a summary, in characters, so that the other values stay visible. */
const MAX_VALUE_LENGTH = 80;

/** Formats a call for approvals and receipts: the tool's name and all arguments. */
function formatSummary(title: string, { name }: McpTool, input: Record<string, unknown>): string {
  const verb = (name.split(".")[1] ?? "").replaceAll("_", " ");
  const filledFields = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
  const formatted = filledFields.map(([field, value]) => `${field} “${formatShortValue(value)}”`).join(", ");
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} in ${title}${formatted ? `: ${formatted}` : ""}`;
}

function formatShortValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH - 1)}…`;
}
