import type { DbConnection } from "../store/connection.ts";
import { endStates, forgetApprovals } from "../store/custom-services.ts";
import { deleteGrant } from "../store/grants.ts";

/**
 * A token, a yes and a page that is open belong to what an own service was before it changed.
 *
 * @param moved it is reached elsewhere now, or signed in to otherwise
 * @param forgotten its tools that are not what was allowed any more
 * @param done what became of it, for whoever has a page of before open: `described`, `added`
 */
export async function forgetConnection(
  db: DbConnection,
  installationId: string,
  name: string,
  { moved, forgotten, done }: { moved: boolean; forgotten: string[]; done: "added" | "described" },
): Promise<void> {
  await forgetApprovals(db, installationId, { tools: forgotten, ...(moved ? { service: name } : {}) });
  if (!moved) return;
  await deleteGrant(db, installationId, name);
  await endStates(db, installationId, name, `${name} was ${done} anew since this began.`);
}
