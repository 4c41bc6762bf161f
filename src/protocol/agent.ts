import * as z from "zod/mini";

/** Bodies between client, backend and agent server (protocol section 4; seed: agent streaming). */

/** Sent with `POST /ask` by a client that would rather stream from an agent server itself: it may be answered as `POST /ask/stream`. */
export const DIRECT_HEADER = "kay-agent-stream";

/** Body of `POST /ask/stream`. */
export const AskStreamRequest = z.looseObject({
  prompt: z.string(),
  session_id: z.optional(z.nullable(z.string())),
});

/** Its answer: where the client streams from, with `POST {stream_url}?token={stream_token}` and the prompt. */
export const AskStreamResponse = z.looseObject({
  session_id: z.string(),
  generation_id: z.string(),
  stream_token: z.string().check(z.minLength(1)),
  stream_url: z.string(),
  /** Number of the last event of the conversation before this turn. */
  after: z.optional(z.number()),
});
export type AskStreamResponse = z.infer<typeof AskStreamResponse>;

/**
 * Body of `POST /generations/:id/stream`: what became of the stream that a client reads from the agent server itself. `finished`: it came to its
 * end, and all of it is in the log. `failed`: it ended with an error, whose words are the `message`. `broken`: it ended too early, or its answer was
 * none. `unsent`: the prompt surely did not get there.
 */
export const StreamOutcome = z.looseObject({
  outcome: z.enum(["finished", "failed", "broken", "unsent"]),
  message: z.optional(z.string()),
});
export type StreamOutcome = z.infer<typeof StreamOutcome>;

/** Milliseconds without a byte after which a stream is taken for lost; agent servers that think for longer send comments. */
export const AGENT_SILENCE_MS = 5 * 60_000;

/** Body of an agent server's `POST /session`, in the seed's words. Its answer is `{token}`. */
export const AgentSessionRequest = z.looseObject({ sessionId: z.string(), webhookUrl: z.string() });

/** Body of its `POST /stream/:sessionId`. */
export const AgentStreamRequest = z.looseObject({ prompt: z.string() });

/**
 * What an agent server tells the webhook: a finished text, a call, what a call came to. In the seed's words, camelCase. kay's additions: the
 * end of the turn, well or not; an agent server that knows only the seed never says it.
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
    /** Of kay's agent server: which error it is, and what would have to be connected. */
    code: z.optional(z.string()),
    integrations: z.optional(z.array(z.string())),
  }),
]);
export type AgentReport = z.infer<typeof AgentReport>;

/** What every report has, also one of a type that is not known. */
export const AnyReport = z.looseObject({ sessionId: z.string(), type: z.string() });
