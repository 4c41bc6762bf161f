import * as z from "zod/mini";

/** Bodies between client, backend and agent server (docs/protocol.md, "Agent servers"). */

/**
 * Header of `POST /ask` from a client that can stream from an agent server directly. The backend may then answer as for
 * `POST /ask/stream`.
 */
export const DIRECT_HEADER = "kay-agent-stream";

/** Body of `POST /ask/stream`. */
export const AskStreamRequest = z.looseObject({
  prompt: z.string(),
  session_id: z.optional(z.nullable(z.string())),
});

/** Answer of `POST /ask/stream`. The client streams with `POST {stream_url}?token={stream_token}` and the prompt. */
export const AskStreamResponse = z.looseObject({
  session_id: z.string(),
  generation_id: z.string(),
  stream_token: z.string().check(z.minLength(1)),
  stream_url: z.string(),
  /** Number of the last event in the conversation before this turn. */
  after: z.optional(z.number()),
});
export type AskStreamResponse = z.infer<typeof AskStreamResponse>;

/**
 * Body of `POST /generations/:id/stream`: how the stream from the agent server ended. `finished`: it ended normally and
 * everything is in the log. `failed`: it ended with the error in `message`. `broken`: it ended early or was not a
 * stream. `unsent`: the prompt was not delivered.
 */
export const StreamOutcome = z.looseObject({
  outcome: z.enum(["finished", "failed", "broken", "unsent"]),
  message: z.optional(z.string()),
});
export type StreamOutcome = z.infer<typeof StreamOutcome>;

/** How long a stream may stay silent before it counts as lost, in ms. Slower agent servers send comments. */
export const AGENT_SILENCE_MS = 5 * 60_000;

/** Body of an agent server's `POST /session`. The answer is `{token}`. */
export const AgentSessionRequest = z.looseObject({ sessionId: z.string(), webhookUrl: z.string() });

/** Body of an agent server's `POST /stream/:sessionId`. */
export const AgentStreamRequest = z.looseObject({ prompt: z.string() });

/**
 * Body of `POST /agent/webhook`, in camelCase: a finished text, a call or its result. `finish` and `error` are kay's
 * additions, which other agent servers may not send.
 */
export const AgentReport = z.discriminatedUnion("type", [
  z.looseObject({ sessionId: z.string(), type: z.literal("text"), id: z.string(), text: z.string() }),
  z.looseObject({
    sessionId: z.string(),
    type: z.literal("tool-call"),
    toolCallId: z.string(),
    toolName: z.string(),
    input: z.unknown(),
  }),
  z.looseObject({
    sessionId: z.string(),
    type: z.literal("tool-result"),
    toolCallId: z.string(),
    toolName: z.optional(z.string()),
    output: z.unknown(),
  }),
  z.looseObject({ sessionId: z.string(), type: z.literal("finish") }),
  z.looseObject({
    sessionId: z.string(),
    type: z.literal("error"),
    message: z.optional(z.string()),
    /** Error code; sent only by kay's own agent server. */
    code: z.optional(z.string()),
    /** Services to connect; sent only by kay's own agent server. */
    integrations: z.optional(z.array(z.string())),
  }),
]);
export type AgentReport = z.infer<typeof AgentReport>;

/** Fields that every report has, including reports of an unknown type. */
export const AnyReport = z.looseObject({ sessionId: z.string(), type: z.string() });
