import type { PendingRequest } from "#protocol/conversations";
import type { BackendPorts } from "../ports.ts";
import { loadTitles } from "../store/conversations.ts";
import { listAwaitingAuth } from "../store/generations.ts";
import { listOpenInteractions } from "../store/interactions.ts";

/** Everything of an installation that waits for a person, oldest first. */
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
  const asked = interactions.map(
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
  const needed = generations.flatMap((row): PendingRequest[] => {
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
  return [...asked, ...needed].sort((a, b) => a.created_at.localeCompare(b.created_at));
}
