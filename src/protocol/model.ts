import * as z from "zod/mini";

/**
 * Bodies for the model and its test (docs/protocol.md, "The model"). Objects are loose: unknown fields pass through.
 */

/** A model provider that can be selected. */
const ProviderView = z.looseObject({
  /** Provider prefix of `provider:model`; `offline` is the offline planner. */
  name: z.string(),
  title: z.string(),
  /** Whether the provider can answer now. */
  ready: z.boolean(),
  /** A step that makes the provider ready, such as `Set OPENAI_API_KEY.` */
  note: z.string(),
  /** Full model names, as accepted by the `model` setting. The first is the default. */
  models: z.array(z.string()),
});
export type ProviderView = z.infer<typeof ProviderView>;

/** Answer of `GET /model`. */
export const ModelView = z.looseObject({
  /** Full model name, such as `openai:gpt-6-astra`, or `offline` for the offline planner. */
  name: z.string(),
  /** Display name, such as `OpenAI gpt-6-astra`. */
  label: z.string(),
  /** Whether it is the offline planner rather than a language model. */
  offline: z.boolean(),
  /**
   * How it was chosen: by a setting, by a provider's key in the environment, found on the backend's machine, or because
   * no other is available.
   */
  source: z.enum(["settings", "environment", "found", "none"]),
  /** The variable, setting or address that selected it. */
  where: z.optional(z.string()),
  /** Sentence that explains the choice. */
  why: z.string(),
  /** Size of the context window in tokens, if known. */
  context_window: z.optional(z.number()),
  /** Why the model cannot answer. */
  problem: z.optional(z.looseObject({ code: z.string(), message: z.string(), hint: z.optional(z.string()) })),
  available: z.array(ProviderView),
});
export type ModelView = z.infer<typeof ModelView>;

/** Answer of `POST /model/test`. A model that cannot be reached is an error instead. */
export const ModelTestResponse = z.looseObject({
  name: z.string(),
  label: z.string(),
  offline: z.boolean(),
  /** Time to the first part of the answer, in ms. */
  first_ms: z.number(),
  /** Time to the end of the answer, in ms. */
  total_ms: z.number(),
  /** Whether it called the tool with the right input. */
  tools: z.boolean(),
  /** Whether the answer arrived in pieces. */
  streaming: z.boolean(),
  /** Sentence that sums up the result. */
  message: z.string(),
});
export type ModelTestResponse = z.infer<typeof ModelTestResponse>;
