import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

const usage = {
  inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: undefined, reasoning: undefined },
};

/** A model that answers with text. */
export function say(text: string): LanguageModelV4StreamPart[] {
  return [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: text },
    { type: "text-end", id: "t" },
    { type: "finish", usage, finishReason: { unified: "stop", raw: undefined } },
  ];
}

/** A model that makes calls, by tool name. */
export function calls(...toolCalls: [id: string, tool: string, input: object][]): LanguageModelV4StreamPart[] {
  const parts = toolCalls.map(
    ([toolCallId, tool, input]): LanguageModelV4StreamPart => ({
      type: "tool-call",
      toolCallId,
      toolName: tool.replaceAll(".", "__"),
      input: JSON.stringify(input),
    }),
  );
  return [...parts, { type: "finish", usage, finishReason: { unified: "tool-calls", raw: undefined } }];
}
