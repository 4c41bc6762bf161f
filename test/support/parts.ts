import type { StreamPart } from "#protocol/events";

/** Parts of a scripted stream, for a backend's answers in tests. */

/** Server-Sent Events of these parts, numbered from `first`, and the end of the stream. */
export function sse(parts: StreamPart[], { first = 1, ends = true } = {}): string[] {
  const events = parts.map((part, index) => `id: ${first + index}\ndata: ${JSON.stringify(part)}\n\n`);
  return ends ? [...events, "data: [DONE]\n\n"] : events;
}

export const IDS = { session_id: "session_1", generation_id: "gen_1" };

export function begins(): StreamPart[] {
  return [{ type: "start", messageMetadata: IDS }, status("running")];
}

export function status(now: Extract<StreamPart, { type: "data-status" }>["data"]["status"]): StreamPart {
  return { type: "data-status", data: { ...IDS, status: now } };
}

/** A text of the model in these pieces. */
export function createText(...deltas: string[]): StreamPart[] {
  return [
    { type: "text-start", id: "0" },
    ...deltas.map((delta): StreamPart => ({ type: "text-delta", id: "0", delta })),
    { type: "text-end", id: "0" },
  ];
}

export function calls(toolName: string, input: unknown, toolCallId = "c1"): StreamPart {
  return { type: "tool-input-available", toolCallId, toolName, input };
}

export function brings(output: unknown, toolCallId = "c1"): StreamPart {
  return { type: "tool-output-available", toolCallId, output };
}

export function ends(): StreamPart[] {
  return [status("completed"), { type: "finish" }];
}

type Request = Extract<StreamPart, { type: "data-interaction-request" }>["data"];

/** An approval of a message to #general, with changes. */
export function approval(change: Partial<Request> = {}): StreamPart {
  const data: Request = {
    interaction_id: "int_1",
    generation_id: "gen_1",
    tool_call_id: "c1",
    tool_name: "slack.send_message",
    interaction_type: "approval",
    preview: {
      summary: "Send a message to #general",
      access: "write",
      account: "ann@example.test",
      fields: [
        { name: "channel", value: "#general", origin: "person" },
        { name: "text", value: "3 open bugs", origin: "service", source: "KAY-15" },
      ],
    },
    editable: true,
    approval_scopes: [
      { scope: "once", words: "once" },
      { scope: "session", words: "slack.send_message to #general" },
      { scope: "always", words: "always: slack.send_message to #general" },
    ],
    expires_at: "2026-11-27T12:05:00.000Z",
    ...change,
  };
  return { type: "data-interaction-request", data };
}

export function form(change: Partial<Request> = {}): StreamPart {
  const fields: NonNullable<Request["input_schema"]>["fields"] = [
    { id: "project", type: "select", label: "Project", required: true, options: [option("KAY"), option("OPS")] },
    { id: "summary", type: "text", label: "Summary", description: "One line", required: true },
    { id: "urgent", type: "checkbox", label: "Urgent", defaultValue: false },
  ];
  const { data } = approval() as { data: Request };
  const { preview: _, editable: __, approval_scopes: ___, ...rest } = data;
  const request = { ...rest, tool_name: "jira.create_issue", interaction_type: "input" as const };
  return {
    type: "data-interaction-request",
    data: { ...request, prompt: "Which issue?", input_schema: { type: "form", fields }, ...change },
  };
}

function option(value: string) {
  return { value, label: value };
}

type Response = Extract<StreamPart, { type: "data-interaction-response" }>["data"];

export function createAnswer(data: Omit<Response, "interaction_id"> & { interaction_id?: string }): StreamPart {
  return { type: "data-interaction-response", data: { interaction_id: "int_1", ...data } as Response };
}

/** Waits for slack and gmail. */
export function needs(...integrations: string[]): StreamPart {
  const expires_at = "2026-11-27T12:10:00.000Z";
  return { type: "data-auth-needed", data: { generation_id: "gen_1", integrations, connected: [], expires_at } };
}
