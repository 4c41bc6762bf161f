import * as z from "zod/mini";

const TokenCount = z.looseObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  /** Cost in US dollars, if the price of the model is known. */
  cost_usd: z.optional(z.number()),
});

/** Tokens that an answer used, as its provider counted them, and those of its conversation so far. */
export const Usage = z.extend(TokenCount, {
  /** Full name of the model, such as `openai:gpt-6-astra`. */
  model: z.string(),
  /** Tokens that the last model call read and wrote: how much of the context window the conversation takes. */
  context_tokens: z.optional(z.number()),
  conversation: z.optional(TokenCount),
});
export type Usage = z.infer<typeof Usage>;
