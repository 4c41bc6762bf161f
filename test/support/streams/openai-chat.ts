import { DONE, type RecordedWire, toEvents } from "./wire.ts";

const BASE = {
  id: "chatcmpl-A1b2C3",
  object: "chat.completion.chunk",
  created: 1795900000,
  model: "gpt-6-astra",
  service_tier: "default",
  system_fingerprint: "fp_0123456789",
};

const delta = (content: object, finish_reason: string | null = null) => ({
  ...BASE,
  choices: [{ index: 0, delta: content, logprobs: null, finish_reason }],
  usage: null,
  obfuscation: "x1Y2",
});

const usage = {
  ...BASE,
  choices: [],
  usage: {
    prompt_tokens: 120,
    completion_tokens: 8,
    total_tokens: 128,
    prompt_tokens_details: { cached_tokens: 64, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  },
  obfuscation: "z",
};

const call = (index: number, toolCall: object) => delta({ tool_calls: [{ index, ...toolCall }] });
const opening = (index: number, id: string) =>
  call(index, { id, type: "function", function: { name: "jira__show", arguments: "" } });
const input = (index: number, piece: string) => call(index, { function: { arguments: piece } });
const role = delta({ role: "assistant", content: "", refusal: null });

/** OpenAI's chat completions API, as OpenAI and most hosts of open models serve it. */
export const OPENAI_CHAT: RecordedWire = {
  label: "OpenAI-compatible gpt-6-astra",
  settings: {
    model: "openai-compatible:gpt-6-astra",
    env: { OPENAI_COMPATIBLE_BASE_URL: "https://model.test/v1", OPENAI_COMPATIBLE_API_KEY: "sk-test-key" },
  },
  text: toEvents(role, delta({ content: "It is" }), delta({ content: " open." }), delta({}, "stop"), usage) + DONE,
  // DeepSeek, Groq and vLLM send `reasoning_content`.
  reasoning:
    toEvents(
      delta({ role: "assistant", content: null, reasoning_content: "" }),
      delta({ content: null, reasoning_content: "Let me" }),
      delta({ content: null, reasoning_content: " look." }),
      delta({ content: "It is open.", reasoning_content: null }),
      delta({ content: "", reasoning_content: null }, "stop"),
    ) + DONE,
  calls:
    toEvents(
      delta({ role: "assistant", content: null }),
      opening(0, "call_a1"),
      input(0, '{"iss'),
      input(0, 'ue":"KAY-3"}'),
      opening(1, "call_b2"),
      input(1, '{"issue":"KAY-4"}'),
      delta({}, "tool_calls"),
      usage,
    ) + DONE,
  refusal:
    toEvents(role, delta({ refusal: "I can’t help" }), delta({ refusal: " with that." }), delta({}, "stop")) + DONE,
  limit: toEvents(role, delta({ content: "It is" }), delta({}, "length"), usage) + DONE,
  failure:
    toEvents(role, delta({ content: "It is" }), {
      error: { message: "The server had an error while processing your request", type: "server_error", code: null },
    }) + DONE,
  fault: "The server had an error while processing your request",
};
