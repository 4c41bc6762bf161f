import type { Tokens } from "../events.ts";

/** US dollars per million input and output tokens. */
type Price = { input: number; output: number };

/**
 * Returns what a model call cost in US dollars, or undefined if its price is not known. Prices come from KAY_MODEL_PRICES,
 * such as `openai:gpt-6-astra=1.25/10, anthropic:claude-sonnet-5-5=3/15`: they change too often to be part of kay.
 */
export function computeCost(name: string, tokens: Tokens, prices: string | undefined): number | undefined {
  const price = findPrice(name, prices ?? "");
  if (!price) return undefined;
  return ((tokens.input ?? 0) * price.input + (tokens.output ?? 0) * price.output) / 1_000_000;
}

function findPrice(name: string, prices: string): Price | undefined {
  for (const entry of prices.split(/[,\n]/)) {
    const [, model, input, output] = /^\s*(\S+?)\s*=\s*(\d+(?:\.\d+)?)\s*\/\s*(\d+(?:\.\d+)?)\s*$/.exec(entry) ?? [];
    if (model === name) return { input: Number(input), output: Number(output) };
  }
  return undefined;
}
