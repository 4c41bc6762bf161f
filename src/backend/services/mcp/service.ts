import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import type { Fetch } from "../../ports.ts";
import { defineTool, type Identity, type RawAccess, type Service, type Tool, type ToolContext } from "../service.ts";
import { challengeOf } from "./challenge.ts";
import { credentialOfMcp, type McpDefinition, type McpTool, placeText } from "./definition.ts";
import { isDifferent, toolDifference } from "./difference.ts";
import { type Asked, personAsked } from "./elicitation.ts";
import type { Links, Server } from "./links.ts";
import { resultOf } from "./result.ts";
import { checkInput } from "./validate.ts";
import { examplesOf, summaryOf, wordsOf } from "./words.ts";

/** What a server is reached with. `offered` is what it listed last, where that is not what was approved. */
export type McpReach = {
  links: Links;
  fetch: Fetch;
  key: string;
  offered?: McpTool[];
  listed: NonNullable<Server["listed"]>;
};

/** An MCP server as every other service: the tools that were approved and that it still has. */
export function mcpService(definition: McpDefinition, reach: McpReach): Service {
  const { name, title, place, auth, tools } = definition;
  const offered = reach.offered && new Map(reach.offered.map((tool) => [tool.name, tool]));
  return {
    name,
    title,
    oauth:
      auth.type === "oauth2"
        ? { provider: name, scopes: [], pkce: true, clientAuth: "none", refresh: "rotating" }
        : { provider: name, scopes: [], pkce: false, clientAuth: "none", refresh: "none" },
    endpoints: { authorize: "", token: "", api: placeText(place) },
    ...(auth.type === "oauth2" ? {} : { credential: credentialOfMcp(auth) }),
    identify: async () => anybody(definition),
    tools: tools.flatMap((tool) => {
      const now = offered?.get(tool.name);
      if (offered && !now) return [];
      return [mcpTool(definition, tool, now ?? tool, reach)];
    }),
  };
}

/** A server does not say whose key it is: such an account is nobody whom kay would know again. */
export function anybody({ place }: Pick<McpDefinition, "place">): Identity {
  return { accountId: randomUUID(), user: {}, metadata: "url" in place ? { url: place.url } : {} };
}

function mcpTool(definition: McpDefinition, tool: McpTool, now: McpTool, reach: McpReach): Tool {
  const { title } = definition;
  const doubtful = isDifferent(toolDifference([tool], [now]));
  return defineTool<Record<string, unknown>>({
    name: tool.name,
    description: wordsOf(title, tool),
    access: tool.access,
    kept: true,
    input: z.record(z.string(), z.unknown()),
    schema: tool.input,
    check: (input) => checkInput(tool.name, tool.input, input),
    examples: examplesOf(definition, tool),
    summary: (input) => summaryOf(title, tool, input),
    async run(input, context) {
      const asked = personAsked(context.people, { title, where: whereIs(definition) });
      const answer = await called(definition, tool, { input, doubtful, context, asked }, reach);
      const result = resultOf(title, tool, answer);
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
  }: { input: Record<string, unknown>; doubtful: boolean; context: ToolContext; asked: Asked },
  { links, fetch, key, listed }: McpReach,
) {
  const { signal, people, raw } = context;
  const secret = definition.auth.type === "none" || !raw ? {} : { secret: secretOf(raw) };
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
function secretOf(raw: RawAccess): NonNullable<Server["secret"]> {
  return {
    token: raw.token,
    rejected: async (token, refusal) => {
      if (refusal?.status === 403)
        await raw.lacks(challengeOf(new Headers({ "www-authenticate": refusal.challenge ?? "" })).scopes);
      return await raw.rejected(token);
    },
  };
}

/** The host of a server, or the program. */
function whereIs({ place }: McpDefinition): string {
  return "url" in place ? new URL(place.url).host : placeText(place);
}
