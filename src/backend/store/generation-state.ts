import { sql } from "kysely";
import * as z from "zod/mini";
import type { Allowance } from "#agent/calls/checked-call";
import type { OutputMismatch } from "#agent/output";
import { Instruction } from "#protocol/ask";
import { Attachment } from "#protocol/attachments";
import type { DbConnection } from "./schema.ts";

/** The limits that the caller set for a turn; `AskRequest` describes each. */
export const TurnLimits = z.object({
  outputSchema: z.optional(z.record(z.string(), z.unknown())),
  maxSteps: z.optional(z.number()),
  dryRun: z.optional(z.boolean()),
  allow: z.optional(z.array(z.string())),
  /** For the entries of `allow`: hashes of the accounts that they were given for, by service. Absent if given now. */
  allowedAs: z.optional(z.record(z.string(), z.string())),
});
export type TurnLimits = z.infer<typeof TurnLimits>;

/**
 * A turn that an agent server answers: until when it may report (ms), and whether the client streams from it directly.
 */
export const RemoteTurn = z.object({ until: z.number(), direct: z.optional(z.boolean()) });
export type RemoteTurn = z.infer<typeof RemoteTurn>;

export const JsonObject = z.record(z.string(), z.unknown());
export const Source = z.enum(["typed", "late_answer", "action"]);
export const Mismatch: z.ZodMiniType<OutputMismatch> = z.object({
  text: z.string(),
  problems: z.array(z.object({ path: z.string(), message: z.string() })),
});
export const Allowances: z.ZodMiniType<Record<string, Allowance>> = z.record(
  z.string(),
  z.object({ allowed_by: z.string(), account: z.optional(z.string()) }),
);
export const Counts = z.record(z.string(), z.number());

export const GenerationRequest = z.object({
  prompt: z.string(),
  /** The part of the prompt that the user wrote, if not all of it. */
  typed: z.optional(z.string()),
  context: JsonObject,
  /** Files that the user gave with it; table `attachments` has their bytes. */
  attachments: z.optional(z.array(Attachment)),
  /**
   * `stream`: the generation waits for the user. `answer`: the HTTP request waits for the answer, so a call that needs
   * the user ends it with a confirmation or with the missing services.
   */
  mode: z.enum(["stream", "answer"]),
  interactive: z.boolean(),
  /** Nothing runs before the user approves it. */
  confirm: z.boolean(),
  /** With `confirm`: reads run, and only other calls are asked. */
  plan: z.optional(z.boolean()),
  source: Source,
  limits: TurnLimits,
  /** IANA name of the user's time zone. */
  timeZone: z.optional(z.string()),
  /** The standing instructions of the user and of a project that the user trusted. */
  instructions: z.optional(z.array(Instruction)),
  /** Defaults of services, by `service.thing`. */
  defaults: z.optional(z.record(z.string(), z.string())),
  /** How long its approvals and forms wait, in seconds, if the caller chose that. */
  approvalTimeout: z.optional(z.number()),
  /** The model that answers, if the caller chose one. */
  model: z.optional(z.string()),
  /** The one call that another program makes. No model answers then. */
  call: z.optional(
    z.object({
      tool: z.string(),
      input: JsonObject,
      program: z.string(),
      /** The program of `/mcp` that made it; only that program may read its result. */
      program_id: z.optional(z.string()),
    }),
  ),
  /** `agent`: only agent servers on this database work on it. */
  runsAt: z.enum(["backend", "agent"]),
  /** `traceparent` of the request: every node continues its trace. */
  traceparent: z.optional(z.string()),
});

/** The request of a generation. Column `request`: written once, when the generation starts. */
export type GenerationRequest = Readonly<z.infer<typeof GenerationRequest>>;

/** Tokens that the model calls of a generation used, as the provider counted them. */
export const UsedTokens = z.object({
  model: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** Tokens that the last model call read and wrote: the size of the conversation then. */
  contextTokens: z.optional(z.number()),
  costUsd: z.optional(z.number()),
});
export type UsedTokens = z.infer<typeof UsedTokens>;

export const GenerationProgress = z.object({
  /** Messages of the conversation that the model sees besides its own; null before the generation began. */
  historyLength: z.nullable(z.number()),
  /** `granted`: the user approved the step that is held. */
  approval: z.enum(["none", "granted"]),
  /** By tool call: what allowed it to run without an approval, and as which account. */
  allowances: Allowances,
  /** By service: how often the user was asked to connect it. */
  authAttempts: Counts,
  /** Services that the user declined to connect. */
  declinedServices: z.array(z.string()),
  /** The answer that did not match the schema. The model corrects it once. */
  correction: z.nullable(Mismatch),
  /** How much of the conversation the model gets. `round` counts how often the user was asked to shorten it. */
  history: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("full") }),
    z.object({ kind: z.literal("asking"), keep: z.number(), round: z.number() }),
    z.object({ kind: z.literal("newest"), keep: z.number(), round: z.number() }),
  ]),
  /** Set once an agent server elsewhere was asked. */
  remote: z.nullable(RemoteTurn),
  used: z.optional(UsedTokens),
});

/** State for the next run. Column `progress`: changed only by `advanceProgress`. */
export type GenerationProgress = Readonly<z.infer<typeof GenerationProgress>>;

/** The progress of a generation that has not begun. */
export const INITIAL_PROGRESS: GenerationProgress = {
  historyLength: null,
  approval: "none",
  allowances: {},
  authAttempts: {},
  declinedServices: [],
  correction: null,
  history: { kind: "full" },
  remote: null,
};

/** The request and the progress of a generation. */
export type GenerationState = { request: GenerationRequest; progress: GenerationProgress };

/** Lists the tokens of a conversation's generations, oldest first. Generations without a count are left out. */
export async function listUsedTokens(
  db: DbConnection,
  conversationId: string,
): Promise<{ id: string; used: UsedTokens }[]> {
  const rows = await db
    .selectFrom("generations")
    .select(["id", sql<unknown>`progress -> 'used'`.as("used")])
    .where("conversation_id", "=", conversationId)
    .where(sql<boolean>`progress -> 'used' is not null`)
    .orderBy("created_at")
    .execute();
  return rows.map(({ id, used }) => ({ id, used: z.parse(UsedTokens, used) }));
}
