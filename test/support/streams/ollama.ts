import { DONE, type RecordedWire, toEvents } from "./wire.ts";

const BASE = {
  id: "chatcmpl-417",
  object: "chat.completion.chunk",
  created: 1795900000,
  model: "qwen3:8b",
  system_fingerprint: "fp_ollama",
};

const delta = (content: object, finish_reason: string | null = null) => ({
  ...BASE,
  choices: [{ index: 0, delta: { role: "assistant", content: "", ...content }, finish_reason }],
});

const usage = { ...BASE, choices: [], usage: { prompt_tokens: 120, completion_tokens: 8, total_tokens: 128 } };

const call = (index: number, id: string, issue: string) =>
  delta({
    tool_calls: [
      { id, index, type: "function", function: { name: "jira__show", arguments: JSON.stringify({ issue }) } },
    ],
  });

/** Ollama's OpenAI-compatible API: every piece has a role and content, and each call comes whole. */
export const OLLAMA: RecordedWire = {
  label: "Ollama qwen3:8b",
  settings: { model: "ollama:qwen3:8b", env: { OLLAMA_HOST: "https://model.test" } },
  text: toEvents(delta({ content: "It is" }), delta({ content: " open." }), delta({}, "stop"), usage) + DONE,
  reasoning:
    toEvents(
      delta({ reasoning: "Let me" }),
      delta({ reasoning: " look." }),
      delta({ content: "It is open." }),
      delta({}, "stop"),
    ) + DONE,
  calls: toEvents(call(0, "call_x1", "KAY-3"), call(1, "call_x2", "KAY-4"), delta({}, "tool_calls"), usage) + DONE,
  refusal: toEvents(delta({}, "content_filter")) + DONE,
  limit: toEvents(delta({ content: "It is" }), delta({}, "length"), usage) + DONE,
  failure: toEvents(delta({ content: "It is" }), {
    error: {
      message: "llama runner process has terminated: exit status 2",
      type: "api_error",
      param: null,
      code: null,
    },
  }),
  fault: "llama runner process has terminated: exit status 2",
};
