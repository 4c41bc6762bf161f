import { expect, test } from "vitest";
import type { ToolAccess } from "#agent/calls/run-tool";
import { searchTools, selectTools } from "#agent/steps/select-tools";
import type { AgentTool } from "#agent/tool";
import { buildLocalTools } from "#backend/tools/toolbox";
import { configureServices } from "#connectors/catalogue";

const all = buildLocalTools({ services: configureServices({ clients: {} }) } as ToolAccess);
const none = { connected: [], text: "", found: [], maxTools: 1_000 };

test("a model gets the tools of connected services only, in the order of the catalogue", () => {
  const selected = selectTools(all, { ...none, connected: ["slack", "jira"], maxTools: 30 });
  const expected = all.filter(({ service }) => service === "slack" || service === "jira");
  expect(names(selected)).toEqual(names(expected));
});

test.each([
  ["send it to Notion", "notion"],
  ["what is on my Google Calendar?", "google-calendar"],
  ["use google-drive, please", "google-drive"],
  ["in HubSpot.", "hubspot"],
])("a model also gets the tools of a service that the conversation names: %s", (text, service) => {
  const selected = selectTools(all, { ...none, text, maxTools: 20 });
  expect([...new Set(selected.map((tool) => tool.service))]).toEqual([service]);
});

test("a name inside another word does not count", () => {
  const selected = selectTools(all, { ...none, connected: ["gmail"], text: "the slackers of jirafe", maxTools: 20 });
  expect([...new Set(selected.map(({ service }) => service))]).toEqual(["gmail"]);
});

test("tools that a search found come first if not all fit", () => {
  const found = ["notion.create_page"].filter((name) => all.some((tool) => tool.name === name));
  const selected = selectTools(all, {
    connected: ["jira", "slack"],
    text: "",
    found: found.concat(last().name),
    maxTools: 3,
  });
  expect(selected).toHaveLength(3);
  expect(names(selected)).toContain(last().name);
});

test("if one service is too large, the tools that match the conversation come first", () => {
  const selected = selectTools(all, { ...none, connected: ["jira"], text: "who should be assigned?", maxTools: 2 });
  expect(names(selected)).toContain("jira.assign_issue");
});

test("with nothing connected and nothing named, a few matching tools are offered", () => {
  const guessed = names(selectTools(all, { ...none, text: "show my open bugs", maxTools: 64 }));
  expect(guessed).toContain("jira.search");
  expect(guessed.length).toBeLessThanOrEqual(8);
});

test("tools never exceed the character limit", () => {
  const huge = all.map((tool) => ({ ...tool, description: "x".repeat(10_000) }));
  expect(selectTools(huge, { ...none, connected: all.map(({ service }) => service) }).length).toBeLessThan(7);
});

test.each([
  ["create an issue", /^(jira|github)\.create_issue$/],
  ["createing issues in jira", /^jira\.create_issue$/],
  ["send a chat message", /^slack\.send/],
  ["send an email", /^gmail\.send/],
  ["delete calendar event", /^google-calendar\.delete/],
  ["spreadsheet cells", /^google-sheets\./],
  ["calender", /^google-calendar\./],
])("a search for %j finds it first", (query, expected) => {
  expect(names(searchTools(all, query))[0]).toMatch(expected);
});

test("a search without a match finds nothing, and a vague one is limited", () => {
  expect(searchTools(all, "xylophone")).toEqual([]);
  expect(searchTools(all, "")).toEqual([]);
  expect(searchTools(all, "the")).toEqual([]);
  expect(searchTools(all, all.map(({ name }) => name).join(" ")).length).toBeLessThan(20);
});

function last(): AgentTool {
  const tool = all.at(-1);
  if (!tool) throw new Error("there are no tools");
  return tool;
}

function names(tools: AgentTool[]): string[] {
  return tools.map(({ name }) => name);
}

test("a mail is an email: what reads one is offered beside what finds it", () => {
  const names = searchTools(all, "sum up the newest mail").map(({ name }) => name);
  expect(names).toContain("gmail.read_message");
});
