import { expect, test } from "vitest";
import * as z from "zod/mini";
import type { ToolAccess } from "#agent/calls/run-tool";
import { runAgent } from "#agent/loop";
import { selectModel } from "#agent/models/select";
import type { AgentTool } from "#agent/tool";
import { createHttpRequestTool } from "#agent/tools/http-request";
import { selectOfferedTools } from "#agent/tools/search-tools";
import { addOwnTools, buildLocalTools } from "#backend/tools/toolbox";
import { configureServices } from "#connectors/catalogue";
import type { Tool } from "#connectors/tool";
import { toEvents } from "#test/streams/wire";

const configured = configureServices({ clients: {} });
const ofServices = buildLocalTools({ services: configured } as ToolAccess);
const services = async () => [];
const request = createHttpRequestTool(configured, (_, tool) => toAgentTool(tool));
const all = addOwnTools(ofServices, request, services);
const names = [...new Set(ofServices.map(({ service }) => service))];

function toAgentTool({ name, description, input }: Tool): AgentTool {
  const [any] = ofServices;
  if (!any) throw new Error("There are no tools.");
  return { ...any, name, description, schema: z.toJSONSchema(input, { io: "input" }) as AgentTool["schema"] };
}

/** What one model call sends: its body, and its tokens at four characters each. */
async function measure(connected: string[], prompt: string) {
  let body = "";
  const fetch = async (_url: string, init?: RequestInit) => {
    body = String(init?.body);
    return new Response(toEvents(), { headers: { "content-type": "text/event-stream" } });
  };
  const env = { OPENAI_COMPATIBLE_BASE_URL: "https://model.test/v1" };
  const selection = await selectModel({ model: "openai-compatible:m", env }, { fetch, clock: { now: () => 0 } });
  const states = names.map((name) => ({
    name,
    title: ofServices.find(({ service }) => service === name)?.title ?? name,
    connected: connected.includes(name),
    ...(connected.includes(name) ? { account: "Sam Sample (kay-demo)" } : {}),
  }));
  const input = {
    ...selection,
    messages: [{ role: "user" as const, content: prompt }],
    tools: all,
    signal: new AbortController().signal,
    now: 0,
    timeZone: "Europe/Berlin",
    services: states,
    slim: true,
    needsApproval: () => false,
    offers: (messages: never[], past: never[]) => selectOfferedTools(all, { messages, past, connected }),
  };
  // The answer does not matter; only the request counts.
  for await (const _ of runAgent(input as Parameters<typeof runAgent>[0]));
  const { tools = [], messages } = JSON.parse(body) as { tools?: { function: { name: string } }[]; messages: unknown };
  const tokens = Math.round(JSON.stringify({ tools, messages }).length / 4);
  return { tokens, body, tools: tools.map((tool) => tool.function.name) };
}

test("with four services connected, a model call sends at most 5,000 tokens", async () => {
  const sizes = names.map((name) => ({
    name,
    size: JSON.stringify(ofServices.filter(({ service }) => service === name).map(({ schema }) => schema)).length,
  }));
  const largest = sizes.toSorted((a, b) => b.size - a.size).slice(0, 4);
  const usual = await measure(["jira", "slack", "gmail", "github"], "what is open in project KAY?");
  const worst = await measure(
    largest.map(({ name }) => name),
    "hello",
  );
  expect(usual.tokens).toBeLessThanOrEqual(5_000);
  expect(worst.tokens).toBeLessThanOrEqual(5_000);
});

test("only tools of connected services are sent, with a search for the rest", async () => {
  const { tools } = await measure(["jira", "slack"], "what is open in project KAY?");
  const services = [...new Set(tools.filter((name) => name.includes("__")).map((name) => name.split("__")[0]))];
  expect(services.sort()).toEqual(["jira", "slack"]);
  expect(tools).toContain("search_tools");
});

test("with all services connected, few tools are sent, including those that the user names", async () => {
  const { tools, tokens } = await measure(names, "which rows of the Feedback table in Airtable are new?");
  expect(tools.length).toBeLessThan(64);
  expect(tokens).toBeLessThanOrEqual(5_000);
  expect(tools.filter((name) => name.startsWith("airtable__"))).toHaveLength(
    ofServices.filter(({ service }) => service === "airtable").length,
  );
});

test("no schema on the wire names its dialect or the bounds of every integer", async () => {
  const { body } = await measure(names, "hello");
  expect(body).not.toContain("$schema");
  expect(body).not.toContain(String(Number.MAX_SAFE_INTEGER));
});
