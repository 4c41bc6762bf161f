import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test, vi } from "vitest";
import type { ToolAccess } from "#agent/calls/run-tool";
import { runModelStep } from "#agent/steps/model-step";
import { createHttpRequestTool } from "#agent/tools/http-request";
import { addOwnTools, buildLocalTools } from "#backend/tools/toolbox";
import { configureServices } from "#connectors/catalogue";
import { chooseAccounts } from "#planner/accounts";
import { buildCatalogue } from "#planner/catalogue";
import { loadLanguage } from "#planner/language";
import { finishSteps } from "#planner/steps";
import { say } from "#test/script";

const services = configureServices({ clients: {} });

const learn = (...of: Parameters<typeof buildCatalogue>) => finishSteps(buildCatalogue(...of));

/** Builds all tools as every request does, and returns what a model gets of them. */
async function getModelTools(): Promise<LanguageModelV4FunctionTool[]> {
  const access = { services } as ToolAccess;
  const request = createHttpRequestTool(services, (configuration, tool) => {
    const [built] = buildLocalTools({
      ...access,
      services: [{ ...configuration, service: { ...configuration.service, tools: [tool] } }],
    });
    if (!built) throw new Error("No tool was built.");
    return built;
  });
  const model = new MockLanguageModelV4({ doStream: async () => ({ stream: ReadableStream.from(say("Hello.")) }) });
  const step = runModelStep({
    model,
    label: "a model",
    instructions: "",
    messages: [{ role: "user", content: "hello" }],
    tools: addOwnTools(buildLocalTools(access), request, async () => []),
    signal: new AbortController().signal,
  });
  for await (const _ of step);
  return (model.doStreamCalls[0]?.tools ?? []) as LanguageModelV4FunctionTool[];
}

test("two requests give a model the same schemas, so nothing is serialized or learned twice", async () => {
  const [first, second] = [await getModelTools(), await getModelTools()];
  expect(first.length).toBeGreaterThan(90);
  const others = second.filter(({ inputSchema }, index) => inputSchema !== first[index]?.inputSchema);
  expect(others.map(({ name }) => name)).toEqual([]);
  const language = await loadLanguage();
  const learned = learn(first, language);
  const serialize = vi.spyOn(JSON, "stringify");
  expect(learn(second, language)).toBe(learned);
  const serialized = serialize.mock.calls.length;
  serialize.mockRestore();
  expect(serialized).toBe(0);
});

test("requests with different tools alternate, and a changed tool is learned again", async () => {
  const language = await loadLanguage();
  const all = await getModelTools();
  const few = all.filter(({ name }) => name.startsWith("jira__"));
  const learned = learn(all, language);
  const jira = learn(few, language);
  expect(jira).not.toBe(learned);
  expect(learn(structuredClone(all), language)).toBe(learned);
  expect(learn(few, language)).toBe(jira);
  const [search, ...rest] = structuredClone(few);
  expect(learn([{ ...search, description: "Other." } as typeof search & {}, ...rest], language)).not.toBe(jira);
});

test("tools that are in use stay learned, however many others are learned meanwhile", async () => {
  const language = await loadLanguage();
  const all = await getModelTools();
  const few = all.filter(({ name }) => name.startsWith("slack__"));
  const slack = learn(few, language);
  for (const { name } of all.slice(0, 20)) {
    learn(
      all.filter((tool) => tool.name === name),
      language,
    );
    expect(learn(few, language)).toBe(slack);
  }
});

test("tools are learned alike whatever accounts a user has", async () => {
  const language = await loadLanguage();
  const tools = (await getModelTools()).filter(({ name }) => name.startsWith("confluence__"));
  const names = ["confluence", "confluence_at_work"];
  const [plain, both] = names.map((account) => {
    const own = tools.map((tool) => ({ ...tool, name: tool.name.replace(/^confluence/, account) }));
    return chooseAccounts([], own, language, ["pages in confluence@work"]).language.read("search confluence");
  });
  expect(plain).toEqual(language.read("search confluence"));
  expect(both).toEqual(plain);
});
