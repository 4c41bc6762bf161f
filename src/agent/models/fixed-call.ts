import { randomBytes } from "node:crypto";
import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { toWireName } from "#protocol/tool-names";
import type { SelectedModel } from "./select.ts";

/**
 * Creates a model that makes one given call and then ends. With it, a call that another program makes passes the same
 * loop, approvals and effects as one that a language model makes.
 */
export function createFixedCallModel({ tool, input }: { tool: string; input: object }): SelectedModel {
  const model: LanguageModelV4 = {
    specificationVersion: "v4",
    provider: "kay",
    modelId: "fixed-call",
    supportedUrls: {},
    doStream: async ({ prompt }) => {
      const isOver = prompt.at(-1)?.role === "tool";
      return { stream: ReadableStream.from(isOver ? END : buildCallParts(tool, input)) };
    },
    doGenerate: () => Promise.reject(new Error("A fixed call is only streamed.")),
  };
  return { model, provider: "offline", name: "offline", label: "kay", source: "none" };
}

function buildCallParts(tool: string, input: object): LanguageModelV4StreamPart[] {
  const id = `call_${randomBytes(16).toString("hex")}`;
  const toolName = toWireName(tool);
  const json = JSON.stringify(input);
  return [
    { type: "stream-start", warnings: [] },
    { type: "tool-input-start", id, toolName },
    { type: "tool-input-delta", id, delta: json },
    { type: "tool-input-end", id },
    { type: "tool-call", toolCallId: id, toolName, input: json },
    finish("tool-calls"),
  ];
}

function finish(unified: "stop" | "tool-calls"): LanguageModelV4StreamPart {
  return { type: "finish", usage: NO_TOKENS, finishReason: { unified, raw: undefined } };
}

const NO_TOKENS: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

const END: LanguageModelV4StreamPart[] = [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id: "end" },
  { type: "text-delta", id: "end", delta: "The call has ended." },
  { type: "text-end", id: "end" },
  finish("stop"),
];
