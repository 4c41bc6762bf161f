import type { Tokens } from "#agent/events";
import type { Usage } from "#protocol/ask";
import type { BackendPorts } from "../ports.ts";
import { listUsedTokens, type UsedTokens } from "../store/generation-state.ts";

/**
 * Returns the tokens of a generation and of its conversation, or undefined if no provider counted any.
 *
 * @param current its tokens where it still runs: the stored ones may lag behind them
 */
export async function findUsage(
  { db }: Pick<BackendPorts, "db">,
  { id, conversation_id }: { id: string; conversation_id: string },
  current?: UsedTokens,
): Promise<Usage | undefined> {
  const usage = await listUsedTokens(db, conversation_id);
  const ownTokens = current ?? usage.find((entry) => entry.id === id)?.used;
  if (!ownTokens) return undefined;
  const otherTokens = usage.filter((entry) => entry.id !== id).map(({ used }) => used);
  const { inputTokens, outputTokens, costUsd } = [...otherTokens, ownTokens].reduce(addTokens);
  return {
    model: ownTokens.model,
    ...toCount(ownTokens),
    ...(ownTokens.contextTokens === undefined ? {} : { context_tokens: ownTokens.contextTokens }),
    conversation: toCount({ model: ownTokens.model, inputTokens, outputTokens, costUsd }),
  };
}

/** Adds up tokens. The cost is known only if that of both is. */
export function addTokens(sum: UsedTokens, added: UsedTokens): UsedTokens {
  const { costUsd: sumCost } = sum;
  const { costUsd: addedCost } = added;
  return {
    model: added.model,
    inputTokens: sum.inputTokens + added.inputTokens,
    outputTokens: sum.outputTokens + added.outputTokens,
    contextTokens: added.contextTokens,
    ...(sumCost === undefined || addedCost === undefined ? {} : { costUsd: sumCost + addedCost }),
  };
}

function toCount({ inputTokens, outputTokens, costUsd }: UsedTokens): {
  input_tokens: number;
  output_tokens: number;
  cost_usd?: number;
} {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(costUsd === undefined ? {} : { cost_usd: Math.round(costUsd * 1e6) / 1e6 }),
  };
}

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
