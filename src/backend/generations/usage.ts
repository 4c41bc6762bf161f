import type { Usage } from "#protocol/usage";
import type { BackendPorts } from "../ports.ts";
import type { UsedTokens } from "../store/generation-state.ts";
import { listUsedTokens } from "../store/used-tokens.ts";

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
  const stored = await listUsedTokens(db, conversation_id);
  const own = current ?? stored.find((each) => each.id === id)?.used;
  if (!own) return undefined;
  const others = stored.filter((each) => each.id !== id).map(({ used }) => used);
  const { inputTokens, outputTokens, costUsd } = [...others, own].reduce(addTokens);
  return {
    model: own.model,
    ...toCount(own),
    ...(own.contextTokens === undefined ? {} : { context_tokens: own.contextTokens }),
    conversation: toCount({ model: own.model, inputTokens, outputTokens, costUsd }),
  };
}

/** Adds up tokens. The cost is known only if that of both is. */
export function addTokens(sum: UsedTokens, more: UsedTokens): UsedTokens {
  const { costUsd: before } = sum;
  const { costUsd: after } = more;
  return {
    model: more.model,
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    contextTokens: more.contextTokens,
    ...(before === undefined || after === undefined ? {} : { costUsd: before + after }),
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
