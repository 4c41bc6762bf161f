import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { expect } from "vitest";
import * as z from "zod/mini";
import { configureServices } from "#connectors/catalogue";
import type { Tool } from "#connectors/tool";
import { createPlanner } from "#planner/model";
import { SIGNATURE } from "#planner/reply";
import { NOON } from "./backend.ts";

/** The planner's answer: text without its signature, or `tool {input}` per call. */
export type Reply = {
  text?: string;
  calls: [tool: string, input: Record<string, unknown>][];
  message: LanguageModelV4Prompt[number];
};

/** A request, and the calls that it means. */
export type Phrasing = [request: string, ...calls: Reply["calls"]];

/** A tool of the agent itself, in addition to those of services. */
export function createOwnTool(name: string, properties: Record<string, object> = {}): LanguageModelV4FunctionTool {
  return { type: "function", name, description: name, inputSchema: { type: "object", properties } };
}

/** The outcome of a call: a result, a failure, or a denial. */
export type Result = { text?: string; data: unknown } | Error | { denied: string } | { code: string };

/** Tools of services as the loop hands them to a model. */
export function modelTools(services: { title: string; tools: Tool[] }[]): LanguageModelV4FunctionTool[] {
  return services.flatMap(({ title, tools }) =>
    tools.map((tool) => ({
      type: "function" as const,
      name: tool.name.replaceAll(".", "__"),
      description: tool.description,
      inputSchema: z.toJSONSchema(tool.input, { io: "input" }) as LanguageModelV4FunctionTool["inputSchema"],
      providerOptions: { kay: { access: tool.access, examples: tool.examples, title } },
    })),
  );
}

/** The tools of every service. */
export const ALL_TOOLS = modelTools(configureServices({ clients: {} }).map(({ service }) => service));

/** Fails unless the planner, with all services connected, answers a request with exactly these calls. */
export async function expectCalls(...[request, ...expected]: Phrasing): Promise<void> {
  const { text, calls } = await plannerTalk().say(request);
  expect({ text, calls }).toEqual({ text: undefined, calls: expected });
}

/** A list of bugs as a tool returns it, and the two forms in which the planner passes it on. */
export const FOUND = {
  text: "2 open bugs in KAY:\n\n| Key | Summary |",
  data: {
    issues: [
      { key: "KAY-7", summary: "Loop", url: "https://jira.test/browse/KAY-7" },
      { key: "KAY-9", summary: "Crash", url: "https://jira.test/browse/KAY-9" },
    ],
    more: false,
  },
};
export const MARKDOWN =
  "2 open bugs in KAY:\n- [KAY-7](https://jira.test/browse/KAY-7) Loop\n- [KAY-9](https://jira.test/browse/KAY-9) Crash";
export const PLAIN =
  "2 open bugs in KAY:\nKAY-7 Loop https://jira.test/browse/KAY-7\nKAY-9 Crash https://jira.test/browse/KAY-9";

/**
 * A conversation with the planner as the agent calls it, with the tools of every service by default. They are answered by
 * `results` in the order of the calls.
 */
export function plannerTalk(tools = ALL_TOOLS, kay: { connected?: string[]; timeZone?: string } = {}) {
  const planner = createPlanner(() => NOON);
  const prompt: LanguageModelV4Prompt = [];
  const next = async (): Promise<Reply> => {
    const { content } = await planner.doGenerate({ prompt, tools, providerOptions: { kay } });
    const textPart = content.find((part) => part.type === "text");
    const calls = content.flatMap((part) =>
      part.type === "tool-call"
        ? [[part.toolName.replaceAll("__", "."), JSON.parse(part.input)] as [string, Record<string, unknown>]]
        : [],
    );
    const message: LanguageModelV4Prompt[number] = {
      role: "assistant",
      content: content.flatMap((part): AssistantPart[] => {
        if (part.type === "text") return [{ type: "text", text: part.text, providerOptions: part.providerMetadata }];
        return part.type === "tool-call" ? [{ ...part, input: JSON.parse(part.input) }] : [];
      }),
    };
    prompt.push(message);
    return {
      ...(textPart?.type === "text" ? { text: textPart.text.replace(`\n\n${SIGNATURE}`, "") } : {}),
      calls,
      message,
    };
  };
  return {
    async say(text: string): Promise<Reply> {
      prompt.push({ role: "user", content: [{ type: "text", text }] });
      return await next();
    },
    /** Results of the calls of the last reply; an `Error` is a failed call, and so is a `code` alone. */
    async results(...values: Result[]): Promise<Reply> {
      const last = prompt.at(-1);
      const calls = last?.role === "assistant" ? last.content.filter((part) => part.type === "tool-call") : [];
      prompt.push({
        role: "tool",
        content: calls.map(({ toolCallId, toolName }, index) => ({
          type: "tool-result",
          toolCallId,
          toolName,
          output: output(values[index]),
        })),
      });
      return await next();
    },
  };
}

type AssistantPart = Extract<LanguageModelV4Prompt[number], { role: "assistant" }>["content"][number];
type Output = Extract<
  Extract<LanguageModelV4Prompt[number], { role: "tool" }>["content"][number],
  { type: "tool-result" }
>["output"];

function output(value: Result | undefined): Output {
  if (value && "denied" in value) return { type: "execution-denied", reason: value.denied };
  if (value && "code" in value) {
    return { type: "error-json", value: { error: { code: String(value.code), message: "Nobody can be asked." } } };
  }
  if (value instanceof Error)
    return { type: "error-json", value: { error: { code: "SERVICE_FAILED", message: value.message } } };
  return { type: "json", value: JSON.parse(JSON.stringify({ data_from: "jira", ...value })) };
}
