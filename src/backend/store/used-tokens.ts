import { sql } from "kysely";
import * as z from "zod/mini";
import { UsedTokens } from "./generation-state.ts";
import type { DbConnection } from "./schema.ts";

/** Lists the tokens of a conversation's generations, oldest first. Generations without a count are left out. */
export async function listUsedTokens(
  db: DbConnection,
  conversationId: string,
): Promise<{ id: string; used: UsedTokens }[]> {
  const rows = await db
    .selectFrom("generations")
    .select(["id", sql<unknown>`progress -> 'used'`.as("used")])
    .where("conversation_id", "=", conversationId)
    .where(sql<boolean>`progress -> 'used' is not null`)
    .orderBy("created_at")
    .execute();
  return rows.map(({ id, used }) => ({ id, used: z.parse(UsedTokens, used) }));
}
