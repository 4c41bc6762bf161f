import { type Kysely, sql } from "kysely";
import type { InteractionResponse } from "#protocol/interactions";
import { cleanText } from "./column-types.ts";
import type { Database } from "./schema.ts";
import type { Effects } from "./schema-work.ts";

/** A write with its origin. */
export type ListedWrite = {
  id: string;
  tool: string;
  service: string;
  state: Effects["state"];
  summary: string;
  url: string | null;
  account: string | null;
  /** The service's reason for refusing it. */
  error: string | null;
  created_at: Date;
  updated_at: Date;
  generation_id: string | null;
  conversation_id: string | null;
  title: string | null;
  prompt: string | null;
  allowed_by: string | null;
  response: InteractionResponse | null;
};

/** The position of a write in the list. */
export type WritePosition = { at: Date; id: string };

/** The service of an effect. A raw request names its service in its input. */
const SERVICE = sql<string>`case when effects.tool = 'http_request' then coalesce(effects.input ->> 'service', 'kay')
  else split_part(effects.tool, '.', 1) end`;

/** Lists the writes of an installation, newest first, from a place in the list on. */
export async function listWrites(
  db: Kysely<Database>,
  installationId: string,
  { before, since, service, limit }: { before?: WritePosition; since?: Date; service?: string; limit: number },
): Promise<ListedWrite[]> {
  let query = db
    .selectFrom("effects")
    .leftJoin("generations", "generations.id", "effects.generation_id")
    .leftJoin("conversations", "conversations.id", "generations.conversation_id")
    .leftJoin("interactions", (join) =>
      join
        .onRef("interactions.generation_id", "=", "effects.generation_id")
        .onRef("interactions.tool_call_id", "=", "effects.tool_call_id")
        .on("interactions.ordinal", "=", 0)
        .on("interactions.status", "=", "answered"),
    )
    .select([
      "effects.id",
      "effects.tool",
      "effects.state",
      "effects.summary",
      "effects.url",
      "effects.account",
      "effects.created_at",
      "effects.updated_at",
      "generations.id as generation_id",
      "conversations.id as conversation_id",
      "conversations.title",
      "interactions.response",
      SERVICE.as("service"),
      sql<string | null>`case when effects.state = 'failed' then effects.result ->> 'message' end`.as("error"),
      sql<string | null>`coalesce(generations.request ->> 'typed', generations.request ->> 'prompt',
        generations.options ->> 'prompt')`.as("prompt"),
      sql<string | null>`generations.progress -> 'allowances' -> effects.tool_call_id ->> 'allowed_by'`.as(
        "allowed_by",
      ),
    ])
    .where("effects.installation_id", "=", installationId);
  if (since) query = query.where("effects.created_at", ">=", since);
  if (service !== undefined) query = query.where(SERVICE, "=", cleanText(service));
  if (before)
    query = query.where(
      sql<boolean>`(effects.created_at, effects.id) < (${before.at}::timestamptz, ${cleanText(before.id)})`,
    );
  return await query.orderBy("effects.created_at", "desc").orderBy("effects.id", "desc").limit(limit).execute();
}

/** How many earlier writes are compared. */
const MOST_EARLIER = 1_000;

/** Lists the newest writes to a service that may have reached a person. */
export async function listEarlierWrites(
  db: Kysely<Database>,
  installationId: string,
  service: string,
): Promise<{ tool: string; input: Record<string, unknown> }[]> {
  return await db
    .selectFrom("effects")
    .select(["tool", "input"])
    .where("installation_id", "=", installationId)
    .where(SERVICE, "=", cleanText(service))
    .where("state", "in", ["sent", "settled", "unknown"])
    .orderBy("created_at", "desc")
    .limit(MOST_EARLIER)
    .execute();
}
