import { randomBytes } from "node:crypto";
import type { ModelMessage } from "ai";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { StreamPart } from "#protocol/events";
import { cleanText, toJsonColumn } from "./column-types.ts";
import { parseWritten } from "./events.ts";
import { type GenerationState, type StoredGeneration, toProgressColumns } from "./generation-state.ts";
import type { Database } from "./schema.ts";
import { publishDoubt, wake } from "./wake-ups.ts";

/** Creates the ID of a conversation, the guide's `session_<ms>_<random>`. It cannot be guessed. */
export function createConversationId(now: number): string {
  return `session_${now}_${randomBytes(16).toString("hex")}`;
}

/** A conversation with its first generation, which has begun at a node. */
export type NewConversation = {
  id: string;
  installationId: string;
  interactive: boolean;
  detached: boolean;
  state: GenerationState;
  message: ModelMessage;
  /** The first parts of the log, by the ID of the generation. */
  toParts(generationId: string): StreamPart[];
  /** What is written with it, each reading `held` as under a `Condition`. */
  changes(generationId: string): RawBuilder<unknown>[];
  /** Called before the statement is sent. */
  begin(): void;
  now: number;
};

/**
 * Writes a conversation, its first generation, the user's message and the first parts of the log in one statement.
 * Nobody knows the conversation yet, so nothing needs to be locked or read.
 */
export async function insertConversation(
  db: Kysely<Database>,
  given: NewConversation,
  { generationId, node }: { generationId: string; node: number },
): Promise<StoredGeneration> {
  const { id, installationId, interactive, detached, state, now } = given;
  const at = new Date(now);
  const events = given.toParts(generationId).map((part) => ({ generationId, part }));
  const text = toJsonColumn(events);
  const request = toJsonColumn(state.request);
  const { progress, options } = toProgressColumns(state);
  const title = cleanText(state.request.prompt.slice(0, 120));
  const changes = given
    .changes(generationId)
    .map((change, index) => sql`, ${sql.id(`change_${index}`)} as (${change})`);
  const statement = sql`with held as (
      insert into "conversations" (id, installation_id, title, interactive, last_event, created_at, updated_at)
      values (${id}, ${installationId}, ${title}, ${interactive}, ${events.length}, ${at}, ${at}) returning id),
    message as (insert into "messages" (conversation_id, sequence, message, generation_id, created_at)
      values (${id}, 1, ${toJsonColumn(given.message)}, ${generationId}, ${at})),
    added as (insert into "events" (conversation_id, number, generation_id, part, created_at)
      select ${id}, place, ${generationId}, given -> 'part', ${at}::timestamptz
      from jsonb_array_elements(${text}::jsonb) with ordinality as parts (given, place))${sql.join(changes, sql``)}
    insert into "generations" (id, conversation_id, installation_id, status, node, request, progress, options, detached, created_at)
    values (${generationId}, ${id}, ${installationId}, 'running', ${node}, ${request}, ${progress}, ${options}, ${detached}, ${at})`;
  const doubt = () => [{ topic: "events" as const, id }];
  await publishDoubt(db, doubt, () =>
    db.connection().execute(async (connection) => {
      given.begin();
      await statement.execute(connection);
    }),
  );
  wake(db, { topic: "events", id, events: parseWritten(text, 0, at) });
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
    created_at: at,
    finished_at: null,
  };
}
