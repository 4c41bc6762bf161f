import { cleanLine } from "#protocol/clean";
import type { PendingRequest } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import type { InteractionResponse } from "#protocol/interactions";
import type { BackendPorts } from "../ports.ts";
import { findClient } from "../store/clients.ts";
import { loadTitles } from "../store/conversations.ts";
import { findLastAuthResult } from "../store/events.ts";
import type { StoredGeneration } from "../store/generation-row.ts";
import { findGeneration, listAwaitingAuth } from "../store/generations.ts";
import { findInteraction, listOpenInteractions, type StoredInteraction } from "../store/interactions.ts";

/** Lists the open requests of an installation, oldest first. */
export async function listPendingRequests(
  { db, clock }: BackendPorts,
  installationId: string,
): Promise<PendingRequest[]> {
  const now = clock.now();
  const interactions = (await listOpenInteractions(db, installationId)).filter(
    ({ expires_at }) => expires_at.getTime() > now,
  );
  const generations = await listAwaitingAuth(db, installationId);
  const titles = await loadTitles(
    db,
    [...interactions, ...generations].map(({ conversation_id }) => conversation_id),
  );
  const requests = interactions.map(
    (row): PendingRequest => ({
      id: row.id,
      kind: row.request.interaction_type,
      session_id: row.conversation_id,
      generation_id: row.generation_id,
      title: titles.get(row.conversation_id) ?? null,
      created_at: row.created_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      request: row.request,
    }),
  );
  const authRequests = generations.flatMap((row): PendingRequest[] => {
    const auth = row.auth;
    if (!auth || Date.parse(auth.expires_at) <= now) return [];
    return [
      {
        id: row.id,
        kind: "auth",
        session_id: row.conversation_id,
        generation_id: row.id,
        title: titles.get(row.conversation_id) ?? null,
        created_at: row.created_at.toISOString(),
        expires_at: auth.expires_at,
        auth,
      },
    ];
  });
  return [...requests, ...authRequests].sort((a, b) => a.created_at.localeCompare(b.created_at));
}

/**
 * Returns the name of the client that answers.
 *
 * @param idOrName undefined for a client that does not identify itself
 * @throws Problem INTERACTION_UNAVAILABLE for a client that reported that it cannot answer
 */
export async function findAnsweringClient(
  { db, clock }: BackendPorts,
  conversationId: string,
  idOrName: string | undefined,
): Promise<string | undefined> {
  if (idOrName === undefined) return undefined;
  const client = await findClient(db, conversationId, idOrName, clock.now());
  if (client === undefined) return idOrName;
  const { supported, enabled } = client.interaction;
  if (supported && enabled) return client.name ?? idOrName;
  const reason = supported ? "is set to only watch" : "cannot answer";
  const hint = supported ? "Turn it on with /interactive on, or answer in another terminal." : "Answer elsewhere.";
  throw new Problem("INTERACTION_UNAVAILABLE", `This client ${reason}; the request is still open.`, { hint });
}

/**
 * Finds an open request by the ID that `kay answer` takes.
 *
 * @throws Problem INTERACTION_CLOSED (details `answered`) for one that was answered or has ended, INTERACTION_NOT_FOUND
 */
export async function getPendingRequest(
  ports: BackendPorts,
  installationId: string,
  id: string,
): Promise<PendingRequest> {
  const request = (await listPendingRequests(ports, installationId)).find((pending) => pending.id === id);
  if (request) return request;
  const interaction = await findInteraction(ports.db, id);
  if (interaction?.installation_id === installationId) throw interactionClosedProblem(interaction);
  const generation = await findGeneration(ports.db, id);
  const closedProblem =
    generation?.installation_id === installationId ? await findAuthClosedProblem(ports, generation) : undefined;
  throw closedProblem ?? new Problem("INTERACTION_NOT_FOUND", "No request has this ID.");
}

/** Returns how an answered approval or form ended. */
export function interactionClosedProblem({ status, response, id }: StoredInteraction): Problem {
  const answered = response ?? { interaction_id: id, action: "cancel" };
  const words: Record<string, string> = {
    answered: `It was already answered: ${answered.action}${formatBy(answered.client)}.`,
    expired: "It expired before it was answered; it was not done.",
    cancelled: "It was canceled; it was not done.",
  };
  const expired = "It expired before it was answered; it was not done.";
  return new Problem("INTERACTION_CLOSED", words[status] ?? expired, { details: { answered } });
}

/** Returns how a request to connect services ended; undefined if there was none. */
export async function findAuthClosedProblem(
  { db }: Pick<BackendPorts, "db">,
  { id }: StoredGeneration,
): Promise<Problem | undefined> {
  const result = await findLastAuthResult(db, id);
  if (result === undefined) return undefined;
  const { success, reason, client } = result;
  const answered: Answered = {
    interaction_id: id,
    action: success ? "connected" : "cancel",
    ...(reason ? { reason } : {}),
    ...(client ? { client } : {}),
  };
  const words = success ? "It was already connected" : "It was already cancelled";
  return new Problem("INTERACTION_CLOSED", `${words}${formatBy(client)}.`, { details: { answered } });
}

/** Like the answer of an approval or a form. */
type Answered = Omit<InteractionResponse, "action"> & { action: "connected" | "cancel" };

function formatBy(client: string | undefined): string {
  return client ? `, by ${cleanLine(client, 60)}` : "";
}
