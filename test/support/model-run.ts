import type { AgentEvent } from "#agent/events";
import { runAgent } from "#agent/loop";
import type { ModelSettings } from "#agent/models/decision";
import { selectModel } from "#agent/models/select";
import type { AgentTool } from "#agent/tool";
import type { Fetch } from "#net/ports";

/** The body of an answer: the events of a stream, or a whole response. */
export type Body = string | Response;

/** The events of a stream, one line of data each. */
export const toSse = (...events: unknown[]) =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");

/** Runs the agent with a read tool against a model that answers each request with the next body. */
export async function runModel(settings: ModelSettings, bodies: Body[]) {
  const requests: string[] = [];
  const fetch: Fetch = async (_url, init) => {
    const body = bodies[requests.push(String(init?.body)) - 1] ?? "";
    return typeof body === "string" ? new Response(body, { headers: { "content-type": "text/event-stream" } }) : body;
  };
  const { model, label } = await selectModel(settings, { fetch, clock: { now: () => 0 } });
  const ran: unknown[] = [];
  const events: AgentEvent[] = [];
  const messages = [{ role: "user" as const, content: "go" }];
  const { signal } = new AbortController();
  const run = runAgent({
    messages,
    tools: [searchTool(ran)],
    model,
    label,
    signal,
    now: 0,
    needsApproval: () => false,
  });
  for await (const event of run) events.push(event);
  const join = (type: "text-delta" | "reasoning-delta") =>
    events.flatMap((event) => (event.type === type ? [event.delta] : [])).join("");
  return { events, requests, ran, text: join("text-delta"), thought: join("reasoning-delta"), last: events.at(-1) };
}

function searchTool(ran: unknown[]): AgentTool {
  return {
    name: "jira.search",
    service: "jira",
    title: "Jira",
    description: "Search issues.",
    access: "read",
    examples: [],
    schema: { type: "object", properties: { project: { type: "string" } }, required: ["project"] },
    parse: (input) => input as Record<string, unknown>,
    summary: () => "Search",
    run: async (input) => {
      ran.push(input);
      return { data: [], text: "No issues." };
    },
  };
}
