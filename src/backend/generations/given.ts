import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";
import { carriesGenerations, knowsConversation } from "../remote/agent-server.ts";
import type { Share } from "../store/generations.ts";
import type { GenerationOptions } from "./options.ts";

type Ports = Pick<BackendPorts, "agent" | "agentRole" | "fetch">;

/** Which generations this node works on. */
export function shareOf({ agent, agentRole }: Pick<Ports, "agent" | "agentRole">): Share {
  if (agentRole?.alone) return "agent";
  return agent && !agentRole ? "backend" : "all";
}

/** Whether the caller bound it to something that an agent server is told nothing of. */
export function isBound({ confirm, bounds }: Pick<GenerationOptions, "confirm" | "bounds">): boolean {
  return confirm || bounds !== undefined;
}

/**
 * Where an agent server answers, what is bound to something is given to it whole, if it works on this database: it carries the generation on
 * from its rows, as any node does. Another one is told the prompt and nothing else, so it cannot be held to anything and is not asked.
 *
 * @returns whether it is given
 * @throws Problem INVALID_REQUEST
 */
export async function isGiven({ agent, fetch }: Ports, options: GenerationOptions): Promise<boolean> {
  if (!agent || !isBound(options)) return false;
  if (options.remote || !(await carriesGenerations(fetch, agent))) throw unbound(options);
  return true;
}

/** The same agent server knows the conversation, so this database is its own. @throws Problem INVALID_REQUEST */
export async function checkShared({ agent, fetch }: Ports, options: GenerationOptions, id: string): Promise<void> {
  if (agent && !(await knowsConversation(fetch, agent, id))) throw unbound(options);
}

/** An agent server that is told the prompt alone cannot be asked this. */
export function unbound({ confirm }: Pick<GenerationOptions, "confirm">): Problem {
  const what = confirm ? "wait for a confirmation" : "be bound to anything";
  return new Problem("INVALID_REQUEST", `The agent server of this backend cannot ${what}.`, {
    hint: "Ask without it, or a backend that answers by itself.",
  });
}
