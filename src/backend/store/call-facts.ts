import { type Approval, queryApprovals } from "./approvals.ts";
import { queryAbility } from "./clients.ts";
import type { StoredGeneration } from "./generation-row.ts";
import { type Grant, queryGrants } from "./grants.ts";
import { queryApprovalTimeout } from "./installations.ts";
import { queryInteractions, type StoredInteraction } from "./interactions.ts";
import { queryPolicies } from "./policies.ts";
import type { DbConnection } from "./schema.ts";
import type { Policies } from "./schema-work.ts";

/** Facts that decide about the calls of a step, as the rows have them at one moment. */
export type CallFacts = {
  interactions: StoredInteraction[];
  /** Effects of the generation that are recorded. */
  effects: { id: string }[];
  grants: Grant[];
  policies: Pick<Policies, "target" | "mode">[];
  /** Saved approvals of the tools that are called. */
  approvals: Approval[];
  ability: { able: boolean | null }[];
  installation: { approval_timeout: number | null }[];
};

/** @param tools the names of the tools that are called */
export function queryCallFacts(
  db: DbConnection,
  { id, installation_id, conversation_id }: Pick<StoredGeneration, "id" | "installation_id" | "conversation_id">,
  tools: string[],
  now: number,
) {
  return {
    interactions: queryInteractions(db, id),
    effects: db.selectFrom("effects").select("id").where("generation_id", "=", id),
    grants: queryGrants(db, installation_id),
    policies: queryPolicies(db, installation_id),
    approvals: queryApprovals(db, { installationId: installation_id, conversationId: conversation_id, tools }, now),
    ability: queryAbility(conversation_id, now),
    installation: queryApprovalTimeout(db, installation_id),
  };
}
