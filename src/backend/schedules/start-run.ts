import { capitalize } from "#protocol/parse";
import { describeTiming, parseTiming } from "#protocol/timing";
import { delegationProblem, hasLimits } from "../generations/delegation.ts";
import { type StartedGeneration, startGenerationIn } from "../generations/requests/start.ts";
import type { BackendPorts } from "../ports.ts";
import { createConversation } from "../store/conversations.ts";
import type { GenerationRequest } from "../store/generation-state.ts";
import { changeSchedule, type StoredSchedule } from "../store/schedules.ts";
import type { DbConnection } from "../store/schema.ts";

/**
 * Starts a run of a schedule within a transaction, in a new conversation whose title names the schedule. It needs no
 * follower.
 *
 * @throws Problem INVALID_REQUEST if an agent server answers that does not receive the limits of the schedule
 */
export async function startRun(
  ports: Pick<BackendPorts, "agent">,
  tx: DbConnection,
  { id, installation_id: installationId, timing, time_zone: timeZone, request: scheduled }: StoredSchedule,
  now: number,
): Promise<StartedGeneration> {
  const request: GenerationRequest = {
    ...scheduled,
    timeZone,
    context: {},
    mode: "stream",
    interactive: false,
    confirm: false,
    source: "typed",
    runsAt: "backend",
  };
  if (ports.agent && hasLimits(request)) throw delegationProblem(request);
  const when = capitalize(describeTiming(parseTiming(timing, "INVALID_REQUEST")));
  const title = `${when}: ${scheduled.prompt}`;
  const conversationId = await createConversation(tx, { installationId, interactive: false, title, now });
  const started = await startGenerationIn(tx, { installationId, conversationId, request, detached: true, now });
  await changeSchedule(tx, id, {
    last_at: new Date(now),
    last_conversation_id: conversationId,
    last_generation_id: started.generationId,
  });
  return started;
}
