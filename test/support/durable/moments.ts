import type { PostgresPool, PostgresPoolClient } from "kysely";
import type { Fetch } from "#net/ports";

/** Called at each moment at which a process may be killed, before anything else happens. */
export type AtMoment = (name: string) => void;

/**
 * A pool that reports the moments before and after each change of the database: single statements, and whole
 * transactions.
 *
 * @param running holds statements until all their moments are reported
 */
export function watchPool(pool: PostgresPool, onMoment: AtMoment, running = new Set<Promise<unknown>>()): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => watchClient(await pool.connect(), onMoment, running),
  };
}

/** HTTP to models and services, with the moments of each request. */
export function watchFetch(fetch: Fetch, nameOf: (url: string) => string | undefined, onMoment: AtMoment): Fetch {
  return async (url, init) => {
    const name = nameOf(url);
    if (name === undefined) return await fetch(url, init);
    onMoment(`${name} before`);
    const answer = await fetch(url, init);
    onMoment(`${name} answered`);
    const { status, headers } = answer;
    return new Response(answer.body?.pipeThrough(inPieces(name, onMoment)) ?? null, { status, headers });
  };
}

/** Pieces end at event boundaries, however the socket split them. */
function inPieces(name: string, onMoment: AtMoment): TransformStream<Uint8Array, Uint8Array> {
  let rest = Buffer.alloc(0);
  return new TransformStream({
    transform(bytes, controller) {
      rest = Buffer.concat([rest, bytes]);
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        onMoment(`${name} piece`);
        controller.enqueue(new Uint8Array(rest.subarray(0, end + 2)));
        rest = rest.subarray(end + 2);
      }
    },
    flush(controller) {
      controller.enqueue(new Uint8Array(rest));
      onMoment(`${name} after`);
    },
  });
}

function watchClient(
  client: PostgresPoolClient,
  onMoment: AtMoment,
  running: Set<Promise<unknown>>,
): PostgresPoolClient {
  let transaction: Statement[] | undefined;
  const query = async (text: string, parameters: readonly unknown[] = []) => {
    const word = text.trim().slice(0, 6).toLowerCase();
    if (word === "begin" || word.startsWith("start")) transaction = [];
    else transaction?.push({ text, parameters });
    const changes =
      word === "commit"
        ? transaction
        : transaction === undefined && word !== "select"
          ? [{ text, parameters }]
          : undefined;
    const name = changes && nameChange(changes);
    if (word === "commit" || word === "rollba") transaction = undefined;
    if (name) onMoment(`${name} before`);
    const result = await (client.query as (text: string, parameters: readonly unknown[]) => Promise<unknown>)(
      text,
      parameters,
    );
    if (name) onMoment(`${name} after`);
    return result;
  };
  const queryAndCount = (text: string, parameters?: readonly unknown[]) => {
    const promise = query(text, parameters);
    running.add(promise);
    const forget = () => void running.delete(promise);
    promise.then(forget, forget);
    return promise;
  };
  return { query: queryAndCount as PostgresPoolClient["query"], release: (...args: []) => client.release(...args) };
}

type Statement = { text: string; parameters: readonly unknown[] };

/** Names a transaction by the tables that it changes; undefined if it changes none. */
function nameChange(statements: Statement[]): string | undefined {
  const matchesStart = (start: string, ...with_: string[]) =>
    statements.some(({ text }) => does(text, start) && with_.every((word) => text.includes(word)));
  if (matchesStart(`insert into "calls"`)) return "step-open";
  if (matchesStart(`update "calls"`)) return "outcome";
  if (matchesStart(`insert into "interactions"`)) return "interaction";
  if (matchesStart(`update "interactions"`)) return "answer";
  if (matchesStart(`update "generations"`, `"finished_at" =`)) return "finish";
  if (matchesStart(`update "generations"`, `"paused_at" =`)) return "pause";
  if (matchesStart(`update "generations"`, `"steps" =`)) return "step";
  if (matchesStart(`insert into "generations"`)) return "generation";
  if (matchesStart(`insert into "messages"`)) return "begin";
  const recorded = statements.find(({ text }) => does(text, `insert into "effects"`));
  if (recorded) return /"state":"(\w+)"/.exec(recorded.parameters.map(String).join("\n"))?.[1] ?? "planned";
  const effect = statements.find(({ text }) => does(text, `update "effects"`));
  if (effect) return String(effect.parameters.find((value) => STATES.includes(String(value))) ?? "effect");
  if (matchesStart(`update "generations"`, `"node" =`)) return "claim";
  if (matchesStart(`insert into "events"`)) return "events";
  return matchesStart("insert") || matchesStart("update") || matchesStart("delete") ? "other" : undefined;
}

/** Returns whether a statement does this, by itself or as one part of several. */
function does(text: string, start: string): boolean {
  return text.startsWith(start) || (text.startsWith("with ") && text.includes(start));
}

const STATES = ["planned", "sent", "settled", "failed", "unknown"];
