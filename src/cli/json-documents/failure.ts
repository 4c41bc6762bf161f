import * as z from "zod/mini";
import { Receipt } from "#protocol/ask";
import { Connection } from "#protocol/connections";
import { ERRORS } from "#protocol/errors";
import { InteractionResponse } from "#protocol/interactions";

const code = z.enum(Object.keys(ERRORS));

/** A service that was connected before another one failed. */
const Connected = z.extend(Connection, { service: z.string() });

/** What every command prints when it fails. */
export const Failure = z.looseObject({
  status: z.literal("error"),
  /** The error code from the closed table, which determines the exit code. */
  error: code,
  /** The error code again. */
  code,
  /** One sentence for a person. */
  message: z.string(),
  /** What to do next, which may be empty. */
  hint: z.string(),
  session_id: z.optional(z.nullable(z.string())),
  generation_id: z.optional(z.string()),
  /** Receipts of the changes made before the failure. */
  receipts: z.optional(z.array(Receipt)),
  /** Services that must be connected first. */
  integrations: z.optional(z.array(z.string())),
  integration: z.optional(z.string()),
  service: z.optional(z.string()),
  /** Sites to choose from with `--site`. */
  sites: z.optional(z.array(z.looseObject({ name: z.string(), url: z.string() }))),
  /** The field that is wrong. */
  field: z.optional(z.string()),
  /** Every fault of a description. */
  problems: z.optional(z.array(z.looseObject({ message: z.string(), path: z.optional(z.string()) }))),
  /** Services that were connected nevertheless. */
  connected: z.optional(z.array(Connected)),
  /** Every service that could not be connected, if several were requested. */
  failed: z.optional(z.array(z.looseObject({ service: z.string(), code, message: z.string() }))),
  /** The sign-in belongs to an installation that the backend no longer knows. */
  session_reset_required: z.optional(z.boolean()),
  expires_at: z.optional(z.string()),
  /** The answer of another client. */
  answered: z.optional(InteractionResponse),
  data: z.optional(z.unknown()),
  /** Number of the last event that arrived of the conversation. */
  last_event: z.optional(z.number()),
  /** The backend's response. */
  http_status: z.optional(z.number()),
  /** Seconds until another attempt is allowed. */
  retry_after: z.optional(z.number()),
  /** Reason in one word. */
  reason: z.optional(z.string()),
  /** Whether the request was sent, and its last known state. */
  sent: z.optional(z.boolean()),
  idle: z.optional(z.boolean()),
  cut_off: z.optional(z.boolean()),
  /** Why an answer was lost, and the key for looking up the outcome of the request. */
  lost: z.optional(z.string()),
  idempotency_key: z.optional(z.string()),
  state: z.optional(z.string()),
  redirect_origin: z.optional(z.string()),
  /** The setting or the file that caused it. */
  setting: z.optional(z.string()),
  path: z.optional(z.string()),
  encoding: z.optional(z.string()),
  /** The error code of the operating system. */
  errno: z.optional(z.string()),
  /** The process that prevents it. */
  pid: z.optional(z.number()),
});

/** Printed by `kay tools call` if a service must be connected first, like the result of an agent's tool. */
export const ToolAuthRequired = z.looseObject({
  status: z.literal("error"),
  code: z.literal("AUTH_REQUIRED"),
  message: z.string(),
  hint: z.string(),
  error: z.looseObject({ code: z.literal("AUTH_REQUIRED"), integration: z.string(), message: z.string() }),
});
