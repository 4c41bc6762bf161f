import * as z from "zod/mini";

/** Bodies of what answers, and whether it works (protocol.md, "The model"). kay's additions, loose as everywhere in the contract. */

/** A provider that could answer too. */
const ProviderView = z.looseObject({
  /** As in `provider:model`; `offline` is the planner. */
  name: z.string(),
  title: z.string(),
  /** Whether it could answer now. */
  ready: z.boolean(),
  /** What it still needs, or what makes it ready, in words: `Set OPENAI_API_KEY.` */
  note: z.string(),
  /** Its models by their whole names, as the model is set; the first is its default. */
  models: z.array(z.string()),
});
export type ProviderView = z.infer<typeof ProviderView>;

/** Answer of `GET /model`. */
export const ModelView = z.looseObject({
  /** `openai:gpt-6-astra`, or `offline` for the planner. */
  name: z.string(),
  /** For people: `OpenAI gpt-6-astra`. */
  label: z.string(),
  /** It is the planner, and no language model. */
  offline: z.boolean(),
  /** How it was chosen: named in the settings, by a variable with a provider's key, found on the backend's machine, or for want of all. */
  source: z.enum(["settings", "environment", "found", "none"]),
  /** What named it: a variable, a setting, an address. */
  where: z.optional(z.string()),
  /** The same as a sentence. */
  why: z.string(),
  /** Tokens that it takes at once, when known. */
  context_window: z.optional(z.number()),
  /** Why it cannot answer. */
  problem: z.optional(z.looseObject({ code: z.string(), message: z.string(), hint: z.optional(z.string()) })),
  available: z.array(ProviderView),
});
export type ModelView = z.infer<typeof ModelView>;

/** Answer of `POST /model/test`. A model that cannot be asked is an error instead. */
export const ModelTestResponse = z.looseObject({
  name: z.string(),
  label: z.string(),
  offline: z.boolean(),
  /** Milliseconds to the first sign of an answer, and to its end. */
  first_ms: z.number(),
  total_ms: z.number(),
  /** It called the tool with the right input. */
  tools: z.boolean(),
  /** The answer came piece by piece. */
  streaming: z.boolean(),
  /** What it said in the end. */
  message: z.string(),
});
export type ModelTestResponse = z.infer<typeof ModelTestResponse>;
