import type { ModelMessage } from "ai";
import type { Wait } from "#agent/events";
import { Problem } from "#protocol/errors";
import { toAsker } from "./call-context.ts";
import { type Asker, ensureInteraction, toWait } from "./interact.ts";
import type { ClaimedGeneration } from "./work.ts";

/**
 * The conversation is too long for the model. Whoever follows the stream is asked whether to go on with its newer half, at least with the
 * person's request; `options.shortening` remembers that it was asked.
 *
 * @returns what is waited for; undefined when nothing can be left out or nobody can be asked
 */
export async function askToShorten(world: ClaimedGeneration, messages: ModelMessage[]): Promise<Wait | undefined> {
  const kept = takeNewest(messages, Math.floor(messages.length / 2)).length;
  if (world.options.mode !== "stream" || kept >= messages.length) return undefined;
  world.options.shortening = { kept, round: (world.options.shortened ?? 0) + 1 };
  const words = kept === 1 ? "the newest message" : `the newest ${kept} messages`;
  const asked = await ensureInteraction(shortener(world, world.options.shortening), 0, {
    type: "approval",
    prompt: `The conversation is too long for the model. Go on with ${words}?`,
    approvalScopes: [{ scope: "once", words: "once" }],
  }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "INTERACTION_UNAVAILABLE") return undefined;
    throw error;
  });
  return asked && toWait(asked);
}

/** What the person said about it: wait on, go on (`options.newest` is set), or not. */
export async function getShortenAnswer(world: ClaimedGeneration): Promise<Wait | "on" | "no"> {
  const { options } = world;
  if (options.shortening === undefined) return "on";
  const asked = await ensureInteraction(shortener(world, options.shortening), 0, { type: "approval" });
  if (asked.status === "open") return toWait(asked);
  if (asked.response?.action !== "approve") return "no";
  options.newest = options.shortening.kept;
  options.shortened = options.shortening.round;
  delete options.shortening;
  return "on";
}

/** The newest messages from a person's request on: a result without its call is refused by models. */
export function takeNewest(all: ModelMessage[], count: number): ModelMessage[] {
  const from = all.findIndex(({ role }, index) => role === "user" && index >= all.length - count);
  return all.slice(from < 0 ? all.findLastIndex(({ role }) => role === "user") : from);
}

/** Kay itself asks, in the name of no call. */
function shortener(work: ClaimedGeneration, { round }: { round: number }): Asker {
  return { ...toAsker(work, { toolCallId: `shorten_${round}`, toolName: "kay.shorten" }), alone: true };
}
