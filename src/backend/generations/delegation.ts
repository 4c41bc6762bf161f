import { Problem } from "#protocol/errors";
import { canCarryGenerations, hasConversation } from "../agent-client/client.ts";
import type { BackendPorts } from "../ports.ts";
import type { DelegationScope } from "../store/generation-claims.ts";
import type { GenerationRequest } from "../store/generation-state.ts";
import type { NewGeneration } from "./request.ts";

type Ports = Pick<BackendPorts, "agent" | "agentRole" | "fetch">;

/** Decides which generations this node works on. */
export function getDelegationScope({ agent, agentRole }: Pick<Ports, "agent" | "agentRole">): DelegationScope {
  if (agentRole?.alone) return "agent";
  return agent && !agentRole ? "backend" : "all";
}

/** Returns whether the caller set limits, or gave files, that an agent server does not receive. */
export function hasLimits({
  confirm,
  limits,
  model,
  attachments,
}: Pick<GenerationRequest, "confirm" | "limits" | "model" | "attachments">): boolean {
  return confirm || model !== undefined || attachments !== undefined || Object.keys(limits).length > 0;
}

/**
 * Decides who runs a generation where an agent server answers. One that works on this database runs limited generations
 * from their rows, like any node. Another one receives only the prompt, so it cannot enforce limits and is not asked.
 * @returns whether the agent server receives it
 * @throws Problem INVALID_REQUEST
 */
export async function shouldDelegate(
  { agent, fetch }: Ports,
  { request, remote }: Omit<NewGeneration, "link">,
): Promise<boolean> {
  if (!agent || !hasLimits(request)) return false;
  if (remote || !(await canCarryGenerations(fetch, agent))) throw delegationProblem(request);
  return true;
}

/**
 * Checks that the agent server knows the conversation, so that both use this database. @throws Problem INVALID_REQUEST
 */
export async function checkSharedConversation(
  { agent, fetch }: Ports,
  request: Pick<GenerationRequest, "confirm" | "attachments">,
  id: string,
): Promise<void> {
  if (agent && !(await hasConversation(fetch, agent, id))) throw delegationProblem(request);
}

/** Builds the problem for a request whose limits an agent server cannot enforce. */
export function delegationProblem({
  confirm,
  attachments,
}: Pick<GenerationRequest, "confirm" | "attachments">): Problem {
  const ability = confirm ? "wait for a confirmation" : attachments ? "take attachments" : "be bound to anything";
  return new Problem("INVALID_REQUEST", `The agent server of this backend cannot ${ability}.`, {
    hint: "Ask without it, or use a backend without an agent server.",
  });
}
