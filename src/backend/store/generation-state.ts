import type { Selectable } from "kysely";
import * as z from "zod/mini";
import type { Allowance } from "#agent/calls/checked-call";
import type { OutputMismatch } from "#agent/output";
import { Instruction } from "#protocol/ask";
import { Attachment } from "#protocol/attachments";
import { Problem } from "#protocol/errors";
import { toJsonColumn } from "./column-types.ts";
import type { Generations } from "./schema-work.ts";

/** The limits that the caller set for a turn; `AskRequest` describes each. */
const TurnLimits = z.object({
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
const RemoteTurn = z.object({ until: z.number(), direct: z.optional(z.boolean()) });
export type RemoteTurn = z.infer<typeof RemoteTurn>;

const JsonObject = z.record(z.string(), z.unknown());
const Source = z.enum(["typed", "late_answer", "action"]);
const Mismatch: z.ZodMiniType<OutputMismatch> = z.object({
  text: z.string(),
  problems: z.array(z.object({ path: z.string(), message: z.string() })),
});
const Allowances: z.ZodMiniType<Record<string, Allowance>> = z.record(
  z.string(),
  z.object({ allowed_by: z.string(), account: z.optional(z.string()) }),
);
const Counts = z.record(z.string(), z.number());

const GenerationRequest = z.object({
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

const GenerationProgress = z.object({
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

/** What the next run needs to know. Column `progress`: changed only by `advanceProgress`. */
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

/** The columns that hold the state of a generation. */
export type StateColumns = { id: string; request: unknown; progress: unknown; options: unknown };

/**
 * Parses the state of a stored generation. A column that is null is read from `options`, which an older node wrote.
 *
 * @throws Problem STORE_UNREADABLE when a column does not have the expected shape
 */
export function parseGenerationState({ id, request, progress, options }: StateColumns): GenerationState {
  try {
    const legacy = request === null || progress === null ? fromLegacyOptions(options) : undefined;
    return {
      request: legacy && request === null ? legacy.request : GenerationRequest.parse(request),
      progress: legacy && progress === null ? legacy.progress : GenerationProgress.parse(progress),
    };
  } catch (cause) {
    throw new Problem("STORE_UNREADABLE", `The stored generation ${id} cannot be read.`, {
      hint: "Start a new conversation.",
      cause,
    });
  }
}

/** Column `options`: what nodes before migration 014 read and write. The oldest rows have no fields. */
const LegacyOptions = z.object({
  prompt: z._default(z.string(), ""),
  context: z._default(JsonObject, {}),
  mode: z._default(z.enum(["stream", "answer"]), "answer"),
  interactive: z._default(z.boolean(), false),
  confirm: z._default(z.boolean(), false),
  source: z._default(Source, "typed"),
  bounds: z.optional(TurnLimits),
  at: z.optional(z.literal("agent")),
  remote: z.optional(RemoteTurn),
  trace: z.optional(z.string()),
  allowed: z.optional(Allowances),
  seen: z.optional(z.number()),
  mismatch: z.optional(Mismatch),
  approved: z.optional(z.boolean()),
  authAsked: z.optional(Counts),
  without: z.optional(z.array(z.string())),
  newest: z.optional(z.number()),
  shortening: z.optional(z.object({ kept: z.number(), round: z.number() })),
  shortened: z.optional(z.number()),
});
type LegacyOptions = z.infer<typeof LegacyOptions>;

/** @throws ZodError */
export function fromLegacyOptions(stored: unknown): GenerationState {
  const options = LegacyOptions.parse(stored);
  const { prompt, context, mode, interactive, confirm, source, bounds = {}, at: runsAt = "backend", trace } = options;
  return {
    request: {
      ...{ prompt, context, mode, interactive, confirm, source, limits: bounds, runsAt },
      ...(trace === undefined ? {} : { traceparent: trace }),
    },
    progress: {
      historyLength: options.seen ?? null,
      approval: options.approved ? "granted" : "none",
      allowances: options.allowed ?? {},
      authAttempts: options.authAsked ?? {},
      declinedServices: options.without ?? [],
      correction: options.mismatch ?? null,
      history: fromLegacyHistory(options),
      remote: options.remote ?? null,
    },
  };
}

function fromLegacyHistory({ newest, shortening, shortened = 1 }: LegacyOptions): GenerationProgress["history"] {
  if (shortening) return { kind: "asking", keep: shortening.kept, round: shortening.round };
  return newest === undefined ? { kind: "full" } : { kind: "newest", keep: newest, round: shortened };
}

/** The state as older nodes read it, which may run beside this one (docs/decisions/nodes.md). */
export function toLegacyOptions({ request, progress }: GenerationState): LegacyOptions {
  const { prompt, context, mode, interactive, confirm, source, limits, runsAt, traceparent } = request;
  const { historyLength, approval, allowances, authAttempts, declinedServices, correction, history, remote } = progress;
  return {
    ...{ prompt, context, mode, interactive, confirm, source },
    ...(Object.keys(limits).length > 0 ? { bounds: limits } : {}),
    ...(runsAt === "agent" ? { at: runsAt } : {}),
    ...(remote ? { remote } : {}),
    ...(traceparent === undefined ? {} : { trace: traceparent }),
    ...(Object.keys(allowances).length > 0 ? { allowed: allowances } : {}),
    ...(historyLength === null ? {} : { seen: historyLength }),
    ...(correction ? { mismatch: correction } : {}),
    ...(approval === "granted" ? { approved: true } : {}),
    ...(Object.keys(authAttempts).length > 0 ? { authAsked: authAttempts } : {}),
    ...(declinedServices.length > 0 ? { without: declinedServices } : {}),
    ...(history.kind === "newest" ? { newest: history.keep, shortened: history.round } : {}),
    ...(history.kind === "asking"
      ? { shortening: { kept: history.keep, round: history.round }, shortened: history.round - 1 }
      : {}),
  };
}

/** A row of the table. `request`, `progress` and `options` are not parsed. */
export type GenerationRow = Readonly<Selectable<Generations>>;

/** A generation as stored. */
export type StoredGeneration = Omit<GenerationRow, "request" | "progress" | "options"> & Readonly<GenerationState>;

/** @throws Problem STORE_UNREADABLE */
export function parseGeneration({ options, ...row }: GenerationRow): StoredGeneration {
  return { ...row, ...parseGenerationState({ ...row, options }) };
}

/** Returns the columns that hold the progress. */
export function toProgressColumns(state: GenerationState) {
  return { progress: toJsonColumn(state.progress), options: toJsonColumn(toLegacyOptions(state)) };
}
