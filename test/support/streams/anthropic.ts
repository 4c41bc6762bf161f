import { type RecordedWire, toNamedEvents } from "./wire.ts";

const usage = {
  input_tokens: 120,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 64,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: 2,
  service_tier: "standard",
};

const start = {
  type: "message_start",
  message: {
    model: "claude-sonnet-5-5",
    id: "msg_01Abc",
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  },
};

const ping = { type: "ping" };

function block(index: number, content_block: object, deltas: object[]) {
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

const text = (index: number, ...pieces: string[]) =>
  block(
    index,
    { type: "text", text: "" },
    pieces.map((piece) => ({ type: "text_delta", text: piece })),
  );

const toolUse = (index: number, id: string, ...pieces: string[]) =>
  block(
    index,
    { type: "tool_use", id, name: "jira__show", input: {} },
    pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
  );

const stop = (stop_reason: string, more: object = {}) => [
  {
    type: "message_delta",
    delta: { stop_reason, stop_sequence: null, ...more },
    usage: { ...usage, output_tokens: 8 },
  },
  { type: "message_stop" },
];

/** Anthropic's messages API. */
export const ANTHROPIC: RecordedWire = {
  label: "Anthropic claude-sonnet-5-5",
  settings: { env: { ANTHROPIC_API_KEY: "sk-ant-test-key", ANTHROPIC_BASE_URL: "https://model.test" } },
  text: toNamedEvents(start, ping, ...text(0, "It is", " open."), ...stop("end_turn")),
  reasoning: toNamedEvents(
    start,
    ...block(0, { type: "thinking", thinking: "", signature: "" }, [
      { type: "thinking_delta", thinking: "Let me" },
      { type: "thinking_delta", thinking: " look." },
      { type: "signature_delta", signature: "EqoBCkYI" },
    ]),
    ...text(1, "It is open."),
    ...stop("end_turn"),
  ),
  calls: toNamedEvents(
    start,
    ...toolUse(0, "toolu_01A", "", '{"iss', 'ue":"KAY-3"}'),
    ping,
    ...toolUse(1, "toolu_01B", "", '{"issue":"KAY-4"}'),
    ...stop("tool_use"),
  ),
  refusal: toNamedEvents(
    start,
    ping,
    ...stop("refusal", { stop_details: { type: "refusal", category: "cyber", explanation: "This was blocked." } }),
  ),
  limit: toNamedEvents(start, ...text(0, "It is"), ...stop("max_tokens")),
  failure: toNamedEvents(start, ...text(0, "It is").slice(0, 2), {
    type: "error",
    error: { type: "overloaded_error", message: "Overloaded" },
  }),
  fault: "Overloaded",
};
