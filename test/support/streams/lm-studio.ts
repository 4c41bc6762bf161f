import { DONE, type RecordedWire, toEvents } from "./wire.ts";

const BASE = {
  id: "chatcmpl-k2v9x7",
  object: "chat.completion.chunk",
  created: 1795900000,
  model: "openai/gpt-oss-20b",
  system_fingerprint: "openai/gpt-oss-20b",
};

const delta = (content: object, finish_reason: string | null = null) => ({
  ...BASE,
  choices: [{ index: 0, delta: content, logprobs: null, finish_reason }],
});

const call = (index: number, toolCall: object) => delta({ tool_calls: [{ index, ...toolCall }] });

const showIssue = (index: number, id: string, pieces: string[]) => [
  call(index, { id, type: "function", function: { name: "jira__show", arguments: "" } }),
  ...pieces.map((piece) => call(index, { function: { arguments: piece } })),
];

const FAULT =
  "The number of tokens to keep from the initial prompt is greater than what was loaded. Load the model again";

/** LM Studio's OpenAI-compatible API. Its errors are events with a name, and their `error` is an object or a text. */
export const LM_STUDIO: RecordedWire = {
  label: "LM Studio openai/gpt-oss-20b",
  settings: { model: "lmstudio:openai/gpt-oss-20b", env: {} },
  text:
    toEvents(delta({ role: "assistant", content: "It is" }), delta({ content: " open." }), delta({}, "stop")) + DONE,
  reasoning:
    toEvents(
      delta({ role: "assistant", reasoning_content: "Let me" }),
      delta({ reasoning_content: " look." }),
      delta({ content: "It is open." }),
      delta({}, "stop"),
    ) + DONE,
  calls:
    toEvents(
      ...showIssue(0, "365174485", ['{"issue"', ':"KAY-3"}']),
      ...showIssue(1, "365174486", ['{"issue":"KAY-4"}']),
      delta({}, "tool_calls"),
    ) + DONE,
  refusal: toEvents(delta({}, "content_filter")) + DONE,
  limit: toEvents(delta({ role: "assistant", content: "It is" }), delta({}, "length")) + DONE,
  failure: `${toEvents(delta({ role: "assistant", content: "It is" }))}event: error\ndata: ${JSON.stringify({ error: FAULT })}\n\n`,
  fault: FAULT,
};
