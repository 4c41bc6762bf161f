import { type RecordedWire, toNamedEvents } from "./wire.ts";

const RESPONSE = {
  id: "resp_0123",
  object: "response",
  created_at: 1795900000,
  status: "in_progress",
  background: false,
  error: null as object | null,
  incomplete_details: null as object | null,
  instructions: null,
  max_output_tokens: null,
  model: "gpt-6-astra",
  output: [],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: "medium", summary: null },
  service_tier: "auto",
  store: true,
  temperature: 1,
  text: { format: { type: "text" }, verbosity: "medium" },
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  truncation: "disabled",
  usage: null as object | null,
  user: null,
  metadata: {},
};

const usage = {
  input_tokens: 120,
  input_tokens_details: { cached_tokens: 64 },
  output_tokens: 8,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 128,
};

const created = [
  { type: "response.created", response: RESPONSE },
  { type: "response.in_progress", response: RESPONSE },
];
const completed = { type: "response.completed", response: { ...RESPONSE, status: "completed", usage } };

function message(pieces: string[], output_index = 0) {
  const [id, content_index, text] = ["msg_0123", 0, pieces.join("")];
  const part = { type: "output_text", annotations: [], logprobs: [], text };
  const place = { item_id: id, output_index, content_index };
  const item = { id, type: "message", status: "in_progress", role: "assistant" };
  return [
    { type: "response.output_item.added", output_index, item: { ...item, content: [] } },
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    ...pieces.map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part },
    { type: "response.output_item.done", output_index, item: { ...item, status: "completed", content: [part] } },
  ];
}

function functionCall(output_index: number, call_id: string, pieces: string[]) {
  const id = `fc_${output_index}`;
  const item = { id, type: "function_call", call_id, name: "jira__show" };
  const input = pieces.join("");
  return [
    { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress", arguments: "" } },
    ...pieces.map((delta) => ({ type: "response.function_call_arguments.delta", item_id: id, output_index, delta })),
    { type: "response.function_call_arguments.done", item_id: id, output_index, arguments: input },
    { type: "response.output_item.done", output_index, item: { ...item, status: "completed", arguments: input } },
  ];
}

const thought = { type: "summary_text", text: "Let me look." };
const summary = { item_id: "rs_0123", output_index: 0, summary_index: 0 };
const reasoning = { id: "rs_0123", type: "reasoning", encrypted_content: null };
const refused = { item_id: "msg_0123", output_index: 0, content_index: 0 };
const REFUSAL = "I can’t help with that.";

/** OpenAI's responses API. */
export const OPENAI_RESPONSES: RecordedWire = {
  label: "OpenAI gpt-6-astra",
  settings: { env: { OPENAI_API_KEY: "sk-test-key", OPENAI_BASE_URL: "https://model.test/v1" } },
  text: toNamedEvents(...created, ...message(["It is", " open."]), completed),
  reasoning: toNamedEvents(
    ...created,
    { type: "response.output_item.added", output_index: 0, item: { ...reasoning, summary: [] } },
    { type: "response.reasoning_summary_part.added", ...summary, part: { ...thought, text: "" } },
    { type: "response.reasoning_summary_text.delta", ...summary, delta: "Let me" },
    { type: "response.reasoning_summary_text.delta", ...summary, delta: " look." },
    { type: "response.reasoning_summary_text.done", ...summary, text: thought.text },
    { type: "response.reasoning_summary_part.done", ...summary, part: thought },
    { type: "response.output_item.done", output_index: 0, item: { ...reasoning, summary: [thought] } },
    ...message(["It is open."], 1),
    completed,
  ),
  calls: toNamedEvents(
    ...created,
    ...functionCall(0, "call_a1", ['{"iss', 'ue":"KAY-3"}']),
    ...functionCall(1, "call_b2", ['{"issue":"KAY-4"}']),
    completed,
  ),
  refusal: toNamedEvents(
    ...created,
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { id: "msg_0123", type: "message", status: "in_progress", role: "assistant", content: [] },
    },
    { type: "response.content_part.added", ...refused, part: { type: "refusal", refusal: "" } },
    { type: "response.refusal.delta", ...refused, delta: REFUSAL },
    { type: "response.refusal.done", ...refused, refusal: REFUSAL },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: {
        id: "msg_0123",
        type: "message",
        status: "completed",
        role: "assistant",
        content: [{ type: "refusal", refusal: REFUSAL }],
      },
    },
    completed,
  ),
  limit: toNamedEvents(...created, ...message(["It is"]), {
    type: "response.incomplete",
    response: { ...RESPONSE, status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, usage },
  }),
  failure: toNamedEvents(
    ...created,
    ...message(["It is"]).slice(0, 3),
    {
      type: "error",
      sequence_number: 5,
      error: {
        type: "insufficient_quota",
        code: "insufficient_quota",
        message: "You exceeded your current quota, please check your plan and billing details.",
        param: null,
      },
    },
    {
      type: "response.failed",
      response: {
        ...RESPONSE,
        status: "failed",
        error: {
          code: "insufficient_quota",
          message: "You exceeded your current quota, please check your plan and billing details.",
        },
      },
    },
  ),
  fault: "You exceeded your current quota, please check your plan and billing details",
};
