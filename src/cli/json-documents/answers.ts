import * as z from "zod/mini";
import { AskResponse } from "#protocol/ask";
import { AnswerLink, ConversationView, PendingRequest } from "#protocol/conversations";
import { StreamPart } from "#protocol/events";
import { AuthNeeded, InteractionRequest } from "#protocol/interactions";
import { Failure } from "./failure.ts";

/** Commands that answer it, ready to run. */
const commands = z.array(z.string());

/** An open request. */
const Waiting = z.looseObject({
  /** ID for `kay answer`. */
  id: z.string(),
  kind: z.enum(["approval", "input", "auth"]),
  session_id: z.optional(z.string()),
  generation_id: z.optional(z.string()),
  /** When it expires, ISO 8601. */
  expires_at: z.string(),
  /** The question of an approval or a form. */
  request: z.optional(InteractionRequest),
  /** Services that must be connected. */
  auth: z.optional(AuthNeeded),
  /** Commands that answer it, ready to run. */
  answer: commands,
});

/** What `kay ask`, `kay answer` and `kay confirm` print. */
export const Answer = z.extend(AskResponse, {
  /** Open requests, if `status` is `pending`; the exit code is then 8. */
  pending: z.optional(z.array(Waiting)),
});

/** What `kay ask --background` prints. */
export const Background = z.looseObject({
  status: z.literal("running"),
  session_id: z.string(),
  generation_id: z.string(),
  /** The command that follows it. */
  follow: z.string(),
});

/** A line of `kay inbox`. */
export const PendingItem = z.extend(PendingRequest, {
  /** Commands that answer it, ready to run. */
  answer: commands,
});

/** What `kay pending` prints, and with `--link`. */
export const Pending = z.union([z.looseObject({ pending: z.array(PendingItem) }), AnswerLink]);

/** When the backend wrote it to the log, ISO 8601. */
const time = z.optional(z.string());

/** A conversation with its whole log. */
export const Conversation = z.extend(ConversationView, {
  /** Every event in its order. */
  events: z.array(
    z.union(
      StreamPart.def.options.map((part) =>
        z.extend(part, {
          /** Number in the log. */
          number: z.number(),
          at: time,
        }),
      ),
    ),
  ),
});

/** Fields of every line of `kay ask --stream` and `kay attach`. */
const head = z.looseObject({
  /** The conversation; null if there is none yet. */
  session_id: z.nullable(z.string()),
  /** When the line was printed, ISO 8601. */
  timestamp: z.string(),
}).shape;

/** One line: a part of the answer, a whole answer, or the final failure. */
export const Line = z.union([
  ...StreamPart.def.options
    .filter((part) => part.shape.type.def.values[0] !== "error")
    .map((part) =>
      z.extend(part, {
        ...head,
        at: time,
        /** Commands that answer an open request. */
        answer: z.optional(commands),
      }),
    ),
  z.extend(Answer, { type: z.literal("answer"), ...head }),
  z.extend(z.partial(Failure), { type: z.literal("error"), errorText: z.string(), at: time, ...head }),
]);
