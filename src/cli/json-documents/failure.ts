import * as z from "zod/mini";
import { Receipt } from "#protocol/ask";
import { Connection } from "#protocol/connections";
import { ERRORS } from "#protocol/errors";
import { InteractionResponse } from "#protocol/events";

const code = z.enum(Object.keys(ERRORS));

/** A service that was connected before another one failed. */
const Connected = z.extend(Connection, { service: z.string() });

/** What every command prints when it fails. */
export const Failure = z.looseObject({
  status: z.literal("error"),
  /** Which error of the closed table it is; the exit code goes by it. */
  error: code,
  /** The same once more. */
  code,
  /** One sentence for a person. */
  message: z.string(),
  /** What to do next, which may be empty. */
  hint: z.string(),
  session_id: z.optional(z.nullable(z.string())),
  generation_id: z.optional(z.string()),
  /** Receipts of the changes made before the failure. */
  receipts: z.optional(z.array(Receipt)),
  /** Services that have to be connected first. */
  integrations: z.optional(z.array(z.string())),
  integration: z.optional(z.string()),
  service: z.optional(z.string()),
  /** Sites to choose from with `--site`. */
  sites: z.optional(z.array(z.looseObject({ name: z.string(), url: z.string() }))),
  /** The field that is wrong. */
  field: z.optional(z.string()),
  /** Every fault of a description. */
  problems: z.optional(z.array(z.looseObject({ message: z.string(), path: z.optional(z.string()) }))),
  /** Services that were connected all the same. */
  connected: z.optional(z.array(Connected)),
  /** Every service that could not be connected, where several were asked for. */
  failed: z.optional(z.array(z.looseObject({ service: z.string(), code, message: z.string() }))),
  /** The sign-in belongs to an installation that the backend no longer knows. */
  session_reset_required: z.optional(z.boolean()),
  expires_at: z.optional(z.string()),
  /** The answer that another client gave. */
  answered: z.optional(InteractionResponse),
  data: z.optional(z.unknown()),
  /** Where it was known to be: the last event that came of that conversation. */
  last_event: z.optional(z.number()),
  /** The backend's response. */
  http_status: z.optional(z.number()),
  /** Seconds until it may be asked again. */
  retry_after: z.optional(z.number()),
  /** Why, in one word. */
  reason: z.optional(z.string()),
  /** Whether anything was sent, and whether something came back of it. */
  sent: z.optional(z.boolean()),
  idle: z.optional(z.boolean()),
  cut_off: z.optional(z.boolean()),
  /** Why an answer was lost, and the key by which what became of the request is asked for. */
  lost: z.optional(z.string()),
  idempotency_key: z.optional(z.string()),
  state: z.optional(z.string()),
  redirect_origin: z.optional(z.string()),
  /** The setting, or the file, that is at fault. */
  setting: z.optional(z.string()),
  path: z.optional(z.string()),
  encoding: z.optional(z.string()),
  /** The operating system's name for it. */
  errno: z.optional(z.string()),
  /** The process that is in the way. */
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
