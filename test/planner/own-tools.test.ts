import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { configureServices } from "#connectors/catalogue";
import { createPlanner } from "#planner/model";
import { SIGNATURE } from "#planner/reply";
import { NOON } from "#test/backend";
import { createOwnTool, modelTools, type Phrasing, plannerTalk } from "#test/planner";

const services = modelTools(configureServices({ clients: {} }).map(({ service }) => service));
const agentTools = [
  createOwnTool("ask_user", { question: { type: "string" } }),
  createOwnTool("find_service", { query: { type: "string" } }),
  createOwnTool("connect_service", {
    services: { type: "array", items: { type: "string" } },
    reason: { type: "string" },
  }),
  createOwnTool("http_request", { url: { type: "string" } }),
  createOwnTool("search_tools", { query: { type: "string" } }),
];
const tools = [...services, ...agentTools];

const SUMMARY = {
  id: "summary",
  type: "text",
  label: "Summary",
  description: "Summary of the issue, at most 255 characters.",
  required: true,
};

test("missing values are asked for in a form, and its answers make the call", async () => {
  const talk = plannerTalk(tools);
  expect((await talk.say("create a bug in KAY")).calls).toEqual([
    ["ask_user", { question: "To create a Jira issue in a project, I need the summary.", fields: [SUMMARY] }],
  ]);
  expect((await talk.results({ data: { ok: true, answers: { summary: "Login fails" } } })).calls).toEqual([
    ["jira.create_issue", { project: "KAY", type: "Bug", summary: "Login fails" }],
  ]);
  expect((await talk.results({ text: "Created KAY-12.", data: { key: "KAY-12" } })).text).toBe("Created KAY-12.");
});

test("a field of the form follows its schema: choices, a checkbox, long text, a day", async () => {
  const talk = plannerTalk([
    {
      type: "function",
      name: "deploys__start",
      description: "Start a deployment.",
      inputSchema: {
        type: "object",
        properties: {
          target: { type: "string", enum: ["staging", "production"], description: "Where to." },
          force: { type: "boolean", description: "Whether it goes on without checks." },
          note: { type: "string", description: "The text of the note." },
          date: { type: "string", format: "date" },
          copies: { type: "integer", default: 2, description: "How many." },
        },
        required: ["target", "force", "note", "date", "copies"],
      },
      providerOptions: { kay: { access: "write", examples: ["start a deployment"], title: "Deploys" } },
    },
    ...agentTools,
  ]);
  const [[, form] = ["", {}]] = (await talk.say("start a deployment")).calls;
  expect(form).toEqual({
    question: "To start a deployment, I need the target, the force, the note, the date and the copies.",
    fields: [
      {
        id: "target",
        type: "select",
        label: "Target",
        description: "Where to.",
        required: true,
        options: [
          { value: "staging", label: "staging" },
          { value: "production", label: "production" },
        ],
      },
      {
        id: "force",
        type: "checkbox",
        label: "Force",
        description: "Whether it goes on without checks.",
        required: false,
      },
      { id: "note", type: "textarea", label: "Note", description: "The text of the note.", required: true },
      { id: "date", type: "text", label: "Date", required: true },
      { id: "copies", type: "text", label: "Copies", description: "How many.", required: true, defaultValue: 2 },
    ],
  });
  const answers = { target: "staging", force: true, note: "Go", date: "tomorrow", copies: "3" };
  expect((await talk.results({ data: { ok: true, answers } })).calls).toEqual([
    ["deploys.start", { target: "staging", force: true, note: "Go", date: "2026-11-28", copies: 3 }],
  ]);
});

test("a cancelled form cancels the whole request", async () => {
  const talk = plannerTalk(tools);
  await talk.say("close KAY-3 and create a bug in KAY");
  expect(await talk.results({ data: { ok: false, cancelled: true } })).toMatchObject({
    calls: [],
    text: "All right, I leave it.",
  });
});

test("if nobody can fill in a form, the question is asked in words, and the next message answers it", async () => {
  const talk = plannerTalk(tools);
  await talk.say("create a bug in KAY");
  expect(await talk.results({ code: "INTERACTION_UNAVAILABLE" })).toMatchObject({
    calls: [],
    text: expect.stringMatching(/I need the summary/),
  });
  expect((await talk.say("Login fails")).calls).toEqual([
    ["jira.create_issue", { project: "KAY", type: "Bug", summary: "Login fails" }],
  ]);
});

test("a form among several requests keeps them all", async () => {
  const talk = plannerTalk(tools);
  expect((await talk.say("create a bug in KAY and assign it to me")).calls.map(([tool]) => tool)).toEqual(["ask_user"]);
  const create = await talk.results({ data: { ok: true, answers: { summary: "Crash" } } });
  expect(create.calls).toEqual([["jira.create_issue", { project: "KAY", type: "Bug", summary: "Crash" }]]);
  expect((await talk.results({ text: "Created.", data: { key: "KAY-12" } })).calls).toEqual([
    ["jira.assign_issue", { issue: "KAY-12", assignee: "me" }],
  ]);
});

test("a form asks where to send the open bugs, and then they are read and sent", async () => {
  const talk = plannerTalk(tools);
  const reply = await talk.say("post the open bugs on slack");
  expect(reply.calls).toMatchObject([["ask_user", { fields: [{ id: "channel" }] }]]);
  const read = await talk.results({ data: { ok: true, answers: { channel: "#general" } } });
  expect(read.calls).toEqual([["jira.search", { status: "open", type: "Bug" }]]);
  const issues = [{ key: "KAY-7", summary: "Loop" }];
  expect((await talk.results({ text: "1 open bug:\n\n|", data: { issues } })).calls).toEqual([
    ["slack.send_message", { channel: "#general", text: "1 open bug:\n- KAY-7 Loop" }],
  ]);
});

const CONNECTING: Phrasing[] = [
  ["connect slack", ["connect_service", { services: ["slack"] }]],
  ["connect jira and slack", ["connect_service", { services: ["jira", "slack"] }]],
  ["please connect my google calendar", ["connect_service", { services: ["google-calendar"] }]],
  ["connect jira@work", ["connect_service", { services: ["jira@work"] }]],
  ["connect to jira", ["connect_service", { services: ["jira"] }]],
  ["what can I connect?", ["find_service", {}]],
  ["which services are connected?", ["find_service", {}]],
  ["is slack connected?", ["find_service", { query: "slack" }]],
  // and none of these gets between people and their services
  ["search for onboarding in notion", ["notion.search", { text: "onboarding" }]],
  ["find the contact Mara Lind", ["hubspot.search_contacts", { text: "Mara Lind" }]],
  ["what is open in KAY?", ["jira.search", { project: "KAY", status: "open" }]],
  ["post to my connections on linkedin: hi", ["linkedin.create_post", { text: "hi", visibility: "connections" }]],
];

test.each(CONNECTING)("“%s” is understood in addition to the agent's own tools", async (request, ...calls) => {
  expect((await plannerTalk(tools).say(request)).calls).toEqual(calls);
});

test("a request that needs the new connection waits for it", async () => {
  const talk = plannerTalk(tools);
  expect((await talk.say("connect slack and send hello to #general")).calls).toEqual([
    ["connect_service", { services: ["slack"] }],
  ]);
  expect((await talk.results({ text: "Connected slack.", data: {} })).calls).toEqual([
    ["slack.send_message", { channel: "#general", text: "hello" }],
  ]);
});

const TYPED: [request: string, words: RegExp][] = [
  ["connect slack", /`kay connect slack`/],
  ["connect jira and slack", /`kay connect jira slack`/],
  ["connect jira@work", /`kay connect jira --as work`/],
  ["disconnect slack", /`kay disconnect slack`/],
  ["open bugs in jira@work", /^There is no account jira@work here\./],
  ["which services are connected?", /`kay connections`/],
  ["connect google", /google-calendar[\s\S]*google-drive/],
  ["connect myspace", /^There is no service “myspace” here\. The services are: jira/],
];

test.each(TYPED)("without such tools “%s” is answered with what to type", async (request, words) => {
  expect(await plannerTalk(services).say(request)).toMatchObject({ calls: [], text: expect.stringMatching(words) });
});

const REFUSED: [request: string, words: RegExp][] = [
  ["what is the weather in Rome", /^I do not know how to do “what is the weather in Rome”\..*`kay model list`/],
  ["deploy to prod", /^I do not know how to do “deploy to prod”/],
  ["order a pizza", /^I do not know how to do/],
  ["translate hello to French", /^I do not know how to do/],
  ["close the open bugs", /^I do not know how to do/],
  ["delete the old one", /^I do not know how to do “delete the old one”/],
  ["delete everything", /^I do not know how to do “delete everything”/],
  ["close the other one", /because I do not understand “other one”\. The nearest thing/],
];

test.each(REFUSED)("“%s” is refused, honestly", async (request, words) => {
  expect(await plannerTalk(services).say(request)).toMatchObject({ calls: [], text: expect.stringMatching(words) });
});

test("repositories are listed if a tool does it", async () => {
  const talk = plannerTalk([
    ...services,
    {
      type: "function",
      name: "github__list_repositories",
      description: "List the GitHub repositories of this account.",
      inputSchema: { type: "object", properties: {} },
      providerOptions: {
        kay: { access: "read", examples: ["list my repositories", "show my github repositories"], title: "GitHub" },
      },
    },
  ]);
  expect((await talk.say("show my repos")).calls).toEqual([["github.list_repositories", {}]]);
});

test("an answer arrives in pieces of a few words, which together are the whole answer", async () => {
  const planner = createPlanner(() => NOON);
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "what can you do?" }] }];
  const { stream } = await planner.doStream({ prompt, tools });
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  const deltas = parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : []));
  const whole = (await planner.doGenerate({ prompt, tools })).content;
  expect(whole).toEqual([expect.objectContaining({ type: "text", text: deltas.join("") })]);
  expect(deltas.join("").endsWith(SIGNATURE)).toBe(true);
  expect(deltas.length).toBeGreaterThan(20);
  expect(deltas.length).toBeLessThanOrEqual(60);
  expect(new Set(parts.map(({ type }) => type))).toEqual(
    new Set(["stream-start", "text-start", "text-delta", "text-end", "finish"]),
  );
});
