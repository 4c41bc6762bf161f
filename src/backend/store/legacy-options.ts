import * as z from "zod/mini";
import {
  Allowances,
  Counts,
  type GenerationProgress,
  type GenerationState,
  JsonObject,
  Mismatch,
  RemoteTurn,
  Source,
  TurnLimits,
} from "./generation-state.ts";

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
