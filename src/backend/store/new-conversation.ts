import { randomBytes } from "node:crypto";
import type { ModelMessage } from "ai";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { StreamPart } from "#protocol/events";
import { cleanText, toJsonColumn } from "./column-types.ts";
import { parseWritten } from "./events.ts";
import { type StoredGeneration, toProgressColumns } from "./generation-row.ts";
import type { GenerationState } from "./generation-state.ts";
import type { Database, DbConnection } from "./schema.ts";
import { publishDoubt, wake } from "./wake-ups.ts";

/** Creates the ID of a conversation, the guide's `session_<ms>_<random>`. It cannot be guessed. */
export function createConversationId(now: number): string {
  return `session_${now}_${randomBytes(16).toString("hex")}`;
}

/** A generation that begins at a node. */
export type NewGenerationRow = {
  conversationId: string;
  installationId: string;
  detached: boolean;
  state: GenerationState;
  messages: ModelMessage[];
  /** The first parts of the log, by the ID of the generation. */
  toParts(generationId: string): StreamPart[];
  /** Changes to write with it, each reading `held` as under a `Condition`. */
  changes(generationId: string): RawBuilder<unknown>[];
  now: number;
};

/** Numbers of the last event and the last message of a conversation. */
export type ConversationEnd = { event: number; message: number };

const NOTHING: ConversationEnd = { event: 0, message: 0 };

/**
 * Writes a conversation, its first generation, the user's message and the first parts of the log in one statement.
 * No one knows the conversation yet, so nothing needs to be locked or read.
 *
 * @param begin called before the statement is sent
 */
export async function insertConversation(
  db: Kysely<Database>,
  { interactive, begin, ...given }: NewGenerationRow & { interactive: boolean; begin(): void },
  place: { generationId: string; node: number },
): Promise<StoredGeneration> {
  const { conversationId: id, installationId, now } = given;
  const date = new Date(now);
  const title = cleanText(given.state.request.prompt.slice(0, 120));
  const count = given.toParts(place.generationId).length;
  const conversationWrite = sql`insert into "conversations" (id, installation_id, title, interactive, last_event, created_at, updated_at)
    values (${id}, ${installationId}, ${title}, ${interactive}, ${count}, ${date}, ${date}) returning id`;
  return await db.connection().execute(async (connection) => {
    begin();
    return await insertStarted(connection, db, { ...given, conversationWrite, end: NOTHING }, place);
  });
}

/** Writes a generation in a conversation that {@link lockIdleConversation} locked. */
export async function insertGeneration(
  tx: DbConnection,
  row: NewGenerationRow & { end: ConversationEnd },
  place: { generationId: string; node: number },
): Promise<StoredGeneration> {
  const count = row.toParts(place.generationId).length;
  const conversationWrite = sql`update "conversations" set last_event = last_event + ${count}, updated_at = ${new Date(row.now)}
    where id = ${row.conversationId} returning id`;
  return await insertStarted(tx, tx, { ...row, conversationWrite }, place);
}

/**
 * Locks a conversation of an installation in which no generation is open until the transaction ends.
 *
 * @returns its end, and whether its last message is an answer; undefined if it is missing or busy
 */
export async function lockIdleConversation(
  tx: DbConnection,
  installationId: string,
  id: string,
): Promise<(ConversationEnd & { isAnswered: boolean }) | undefined> {
  const conversation = tx.selectFrom("conversations").select("last_event").where("id", "=", cleanText(id));
  const locked = await conversation.where("installation_id", "=", installationId).forUpdate().executeTakeFirst();
  if (!locked) return undefined;
  // A separate statement also sees what was written while the first waited for the lock.
  const { rows } = await sql<{ sequence: number; role: string }>`select sequence, message ->> 'role' as role
    from (select 0 as sequence, null::jsonb as message union all
      (select sequence, message from messages where conversation_id = ${id} order by sequence desc limit 1)) as last
    where not exists (select from generations where conversation_id = ${id} and finished_at is null)
    order by sequence desc limit 1`.execute(tx);
  const [last] = rows;
  if (!last) return undefined;
  const isAnswered = last.sequence === 0 || last.role === "assistant";
  return { event: locked.last_event, message: last.sequence, isAnswered };
}

/** `conversationWrite` writes the row of the conversation. `tellers` announces what was written. */
async function insertStarted(
  connection: DbConnection,
  publisher: DbConnection,
  {
    conversationWrite,
    end,
    ...given
  }: NewGenerationRow & { conversationWrite: RawBuilder<unknown>; end: ConversationEnd },
  { generationId, node }: { generationId: string; node: number },
): Promise<StoredGeneration> {
  const { conversationId: id, installationId, detached, state, now } = given;
  const date = new Date(now);
  const text = toJsonColumn(given.toParts(generationId).map((part) => ({ generationId, part })));
  const request = toJsonColumn(state.request);
  const { progress, options } = toProgressColumns(state);
  const changes = given
    .changes(generationId)
    .map((change, index) => sql`, ${sql.id(`change_${index}`)} as (${change})`);
  const statement = sql`with held as (${conversationWrite}),
    message as (insert into "messages" (conversation_id, sequence, message, generation_id, created_at)
      select ${id}, ${end.message}::int + place, given, ${generationId}, ${date}::timestamptz
      from jsonb_array_elements(${toJsonColumn(given.messages)}::jsonb) with ordinality as given (given, place)),
    added as (insert into "events" (conversation_id, number, generation_id, part, created_at)
      select ${id}, ${end.event}::int + place, ${generationId}, given -> 'part', ${date}::timestamptz
      from jsonb_array_elements(${text}::jsonb) with ordinality as parts (given, place))${sql.join(changes, sql``)}
    insert into "generations" (id, conversation_id, installation_id, status, node, request, progress, options, detached, created_at)
    values (${generationId}, ${id}, ${installationId}, 'running', ${node}, ${request}, ${progress}, ${options}, ${detached}, ${date})`;
  const listDoubts = () => [{ topic: "events" as const, id }];
  await publishDoubt(publisher, listDoubts, () => statement.execute(connection));
  wake(publisher, { topic: "events", id, events: parseWritten(text, end.event, date) });
  return {
    id: generationId,
    conversation_id: id,
    installation_id: installationId,
    status: "running",
    // As a claim returns it, before a node had it.
    node: null,
    request: JSON.parse(request),
    progress: JSON.parse(progress),
    steps: 0,
    step: null,
    kept_by: null,
    auth: null,
    wake_at: null,
    paused_at: null,
    failures: 0,
    retry_at: null,
    cancel: null,
    notified_at: null,
    detached,
    created_at: date,
    finished_at: null,
  };
}
