import type { JSONValue } from "ai";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { checkCall } from "#agent/calls/execute";
import { toWireMessages } from "#agent/steps/wire-results";
import type { AgentTool } from "#agent/tool";
import { configureServices } from "#connectors/catalogue";
import type { Service } from "#connectors/service";
import type { Tool } from "#connectors/tool";
import { Problem } from "#protocol/errors";
import { runConnected } from "../connectors/support/outside.ts";

const TOOLS = configureServices({ clients: {} }).flatMap(({ service }) =>
  service.tools.map((tool) => [tool.name, service, tool] as const),
);

/** An input with every field that a tool requires. */
function fillInput({ input }: Tool): Record<string, unknown> {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: "input" });
  return Object.fromEntries(required.map((name) => [name, fillField(name, properties[name])]));
}

function fillField(name: string, schema: unknown): unknown {
  const { type, enum: values } = schema as { type?: string; enum?: unknown[] };
  if (values) return values[0];
  if (type === "array") return ["x"];
  if (type === "object") return { Name: "x" };
  if (type === "number" || type === "integer" || /^(number|id)$/.test(name)) return 12;
  return SAMPLES.find(([field]) => field.test(name))?.[1] ?? "x";
}

const SAMPLES: [RegExp, string][] = [
  [/^issue$/, "KAY-1"],
  [/^time$/, "1h"],
  [/^range$/, "A1"],
  [/^channel$/, "#general"],
  [/^(start|end|due|since)$/, "2026-11-30T10:00:00Z"],
  [/^(to|person|email|guests)$/, "sam@example.com"],
  [/^post$/, "urn:li:share:7012345678901234567"],
];

/** The error that a model gets when a service answers with a status. */
async function failWith(status: number, service: Service, tool: Tool): Promise<Record<string, string> | undefined> {
  const [, verb = ""] = tool.name.split(".");
  const failure: unknown = await runConnected(service, verb, fillInput(tool), [/./, { message: "No." }, status]).catch(
    (error) => error,
  );
  if (!(failure instanceof Problem)) return undefined;
  const { code, message, hint } = failure;
  const error = { code, message, hint };
  const output = { type: "error-json" as const, value: { error } as unknown as JSONValue };
  const part = { type: "tool-result" as const, toolCallId: "c", toolName: tool.name.replace(".", "__"), output };
  const [sent] = toWireMessages([{ role: "tool", content: [part] }], []);
  const [wire] = sent?.role === "tool" ? sent.content : [];
  return wire?.type === "tool-result" && wire.output.type === "error-json"
    ? (wire.output.value as { error: Record<string, string> }).error
    : undefined;
}

test.each(TOOLS)("an error of %s tells a model what to call, and no command line", async (_, service, tool) => {
  for (const status of [400, 403, 404, 422]) {
    const { message = "", hint = "" } = (await failWith(status, service, tool)) ?? {};
    expect(message).not.toBe("");
    expect(`${message} ${hint}`).not.toMatch(/`kay |\brun kay\b/i);
  }
});

test("an unknown tool names the three nearest of all", () => {
  const tools = TOOLS.map(([name, , { access, input }]) => ({ name, access, input }) as unknown as AgentTool);
  const checked = checkCall({ toolCallId: "c", toolName: "jira.get_isue", input: {} }, tools);
  const message = "problem" in checked ? checked.problem.message : "";
  const [, near = ""] = /The nearest are (.+?)\. Call/.exec(message) ?? [];
  expect(near.split(", ")).toHaveLength(3);
  expect(near).toContain("jira.get_issue");
});
