import * as z from "zod/mini";

/** Bodies between client, backend and agent server (protocol section 4; seed: agent streaming). */

/** Body of `POST /ask/stream`. */
export const AskStreamRequest = z.looseObject({
  prompt: z.string(),
  session_id: z.optional(z.nullable(z.string())),
});

/** Its answer: where the client streams from, with `POST {stream_url}?token={stream_token}` and the prompt. */
export type AskStreamResponse = {
  session_id: string;
  generation_id: string;
  stream_token: string;
  stream_url: string;
};

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
