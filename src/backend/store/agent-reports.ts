import type { Kysely } from "kysely";
import { Problem } from "#protocol/errors";
import { toJsonColumn } from "./column-types.ts";
import { lockGeneration } from "./generations.ts";
import type { Keys } from "./keys.ts";
import type { Database, DbConnection } from "./schema.ts";
import { seal, unseal } from "./seal.ts";

type Ports = { db: Kysely<Database>; keys: Keys };

/**
 * Returns the secret of a conversation's webhook tokens, or undefined if the conversation does not exist or no agent
 * server ever worked in it.
 */
export async function findAgentSecret({ db, keys }: Ports, conversationId: string): Promise<string | undefined> {
  const query = db.selectFrom("conversations").select("sealed_agent_secret").where("id", "=", conversationId);
  const sealed = (await query.executeTakeFirst())?.sealed_agent_secret;
  return sealed ? unseal(keys.sealing, getSecretName(conversationId), sealed).toString("utf8") : undefined;
}

/** Returns the secret, created with the first turn. Of two concurrent calls, both get the one that was first. */
export async function ensureAgentSecret(ports: Ports, conversationId: string, fresh: string): Promise<string> {
  const secret = await findAgentSecret(ports, conversationId);
  if (secret !== undefined) return secret;
  await ports.db
    .updateTable("conversations")
    .set({ sealed_agent_secret: seal(ports.keys.sealing, getSecretName(conversationId), fresh) })
    .where("id", "=", conversationId)
    .where("sealed_agent_secret", "is", null)
    .execute();
  return (await findAgentSecret(ports, conversationId)) ?? fresh;
}

/**
 * Stores a report of a running generation.
 *
 * @returns whether it is new; a known one counts as stored, even if the generation has ended since
 * @throws Problem GENERATION_CLOSED
 */
export async function addReport(db: Kysely<Database>, report: NewAgentReport): Promise<boolean> {
  return await db.transaction().execute((tx) => addReportIn(tx, report));
}

/** Stores a report within a transaction; see {@link addReport}. */
export async function addReportIn(
  tx: DbConnection,
  { generationId, key, report, now }: NewAgentReport,
): Promise<boolean> {
  const query = tx.selectFrom("agent_reports").select("key").where("generation_id", "=", generationId);
  const open = await lockGeneration(tx, generationId);
  if (await query.where("key", "=", key).executeTakeFirst()) return false;
  if (!open) throw new Problem("GENERATION_CLOSED", "This turn is over.", { hint: "" });
  const row = { generation_id: generationId, key, report: toJsonColumn(report), created_at: new Date(now) };
  await tx.insertInto("agent_reports").values(row).execute();
  return true;
}

type NewAgentReport = { generationId: string; key: string; report: object; now: number };

/** A report, and when it arrived. */
export type StoredReport = { report: Record<string, unknown>; at: Date };

/** Lists the reports about a generation in the order of their arrival. */
export async function listReports(db: Kysely<Database>, generationId: string): Promise<StoredReport[]> {
  const rows = await db
    .selectFrom("agent_reports")
    .select(["report", "created_at"])
    .where("generation_id", "=", generationId)
    .orderBy("number")
    .execute();
  return rows.map(({ report, created_at }) => ({ report, at: created_at }));
}

function getSecretName(conversationId: string): string {
  return `agent-secrets/${conversationId}`;
}
