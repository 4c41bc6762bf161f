import type { ModelMessage } from "ai";
import type { RawBuilder } from "kysely";
import type { StreamPart } from "#protocol/events";
import { traceSpan } from "#telemetry/trace";
import type { BackendPorts } from "../../ports.ts";
import { appendMessages, appendMessagesSql, isMessageCollision } from "../../store/conversations.ts";
import { appendEvents, createHeldCondition, type Holder, runHeldChange } from "../../store/events.ts";
import { isHolder } from "../../store/generation-claims.ts";
import { changeGenerationSql, type GenerationChange, hasOtherGenerationSql } from "../../store/generations.ts";
import type { DbConnection } from "../../store/schema.ts";
import { runTransaction } from "../../store/wake-ups.ts";

/** How long parts are gathered before they are written, in ms: unnoticeable for users, but fewer writes. */
const GATHER = 40;

/** Another node runs the generation now, so this one must not write to it. */
export class LostGeneration extends Error {}

/**
 * Changes of rows that parts report. They run with the parts in one statement: of several, messages follow each other and each column of
 * the generation takes its last value.
 */
type RowChange = { messages?: ModelMessage[]; generation?: GenerationChange; rows?: RawBuilder<unknown>[] };

/** A change that needs several statements. The parts it returns follow the others. */
type Transaction = (tx: DbConnection) => Promise<StreamPart[]> | Promise<void>;

/** Writes a generation's parts to the log of its conversation, in order, as long as this node is the one that works on it. */
export type Writer = {
  /** Queues a part, to be written soon or with the next commit. */
  push(part: StreamPart): void;
  /** Queues parts and a change, to be written at the end of the current tick. Commit before you read the changed rows. */
  defer(parts: StreamPart[], change: RowChange): void;
  /**
   * Writes the parts and everything before them now, in one transaction with the change that they report. @throws
   * LostGeneration
   */
  commit(parts: StreamPart[], change?: RowChange | Transaction): Promise<void>;
  /**
   * Commits if the row of the generation meets a condition.
   * @returns false if it does not; then nothing is written, and earlier parts remain pending
   */
  commitIf(condition: RawBuilder<unknown>, parts: StreamPart[], change: RowChange): Promise<boolean>;
  /**
   * Commits the end of the generation. Returns whether another one of its conversation was open when the statement
   * began; one that was queued during the statement is found by the next tick.
   */
  commitEnd(parts: StreamPart[], change: RowChange): Promise<boolean>;
  /** Returns why writing failed. Nothing is written after that. */
  failure(): unknown;
};

type Owner = Holder & { conversationId: string };

/** Parts and changes that one transaction writes. */
type Batch = { parts: StreamPart[]; change?: RowChange };

/** @param onFailure called once when writing fails, so that the work stops */
export function createWriter(
  ports: Pick<BackendPorts, "db" | "clock" | "observe">,
  owner: Owner,
  onFailure: () => void,
): Writer {
  let pending: Batch = { parts: [] };
  let timer: NodeJS.Timeout | undefined;
  let queue: Promise<void> = Promise.resolve();
  let failure: unknown;

  const write = (write: (earlier: Batch) => Promise<void> | undefined): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const earlier = pending;
    pending = { parts: [] };
    const promise = queue.then(() => {
      if (failure !== undefined) throw failure;
      return write(earlier);
    });
    queue = promise.catch((error: unknown) => {
      failure ??= error;
    });
    return promise;
  };
  const commit: Writer["commit"] = (parts, change) =>
    write((earlier) => {
      if (typeof change === "function") return appendIn(ports, owner, earlier, change, parts);
      const batch = join(earlier, { parts, change });
      return batch.parts.length > 0 || batch.change ? append(ports, owner, batch).then(() => {}) : undefined;
    });
  const commitSoon = (ms: number) => {
    timer ??= setTimeout(() => {
      commit([]).catch(onFailure);
    }, ms);
  };
  return {
    push(part) {
      if (!addDelta(pending.parts, part)) pending.parts.push(part);
      commitSoon(GATHER);
    },
    defer(parts, change) {
      pending = join(pending, { parts, change });
      clearTimeout(timer);
      timer = undefined;
      commitSoon(0);
    },
    commit,
    async commitIf(condition, parts, change) {
      let isWritten = false;
      await write(async (earlier) => {
        isWritten = (await appendHeld(ports, owner, join(earlier, { parts, change }), { condition })) !== undefined;
        if (!isWritten) pending = join(earlier, pending);
      });
      return isWritten;
    },
    async commitEnd(parts, change) {
      let hasOther = false;
      const question = hasOtherGenerationSql(owner.conversationId, owner.generationId);
      await write(async (earlier) => {
        hasOther = (await append(ports, owner, join(earlier, { parts, change }), question)) === true;
      });
      return hasOther;
    },
    failure: () => failure,
  };
}

function join(earlier: Batch, later: Batch): Batch {
  const parts = [...earlier.parts, ...later.parts];
  const [first, second] = [earlier.change, later.change];
  if (!first || !second) return { parts, change: first ?? second };
  const change = {
    messages: [...(first.messages ?? []), ...(second.messages ?? [])],
    generation: { ...first.generation, ...second.generation },
    rows: [...(first.rows ?? []), ...(second.rows ?? [])],
  };
  return { parts, change };
}

async function append(
  ports: Pick<BackendPorts, "db" | "clock">,
  owner: Owner,
  batch: Batch,
  question?: RawBuilder<boolean>,
): Promise<boolean | undefined> {
  const written = await appendHeld(ports, owner, batch, question ? { question } : {});
  if (!written) throw new LostGeneration();
  return written.answer;
}

async function appendIn(
  { db, clock, observe }: Pick<BackendPorts, "db" | "clock" | "observe">,
  { generationId, conversationId, node }: Owner,
  earlier: Batch,
  change: Transaction,
  parts: StreamPart[],
): Promise<void> {
  const { messages = [], ...rest } = earlier.change ?? {};
  await traceSpan(observe, "commit", { kind: "client", attributes: { "db.system.name": "postgresql" } }, () =>
    runTransaction(db, async (tx) => {
      if (!(await isHolder(tx, generationId, node))) throw new LostGeneration();
      const now = clock.now();
      if (messages.length > 0) await appendMessages(tx, conversationId, { messages, generationId, now });
      for (const statement of toSql(rest, { generationId, conversationId, now }))
        await runHeldChange(tx, generationId, statement);
      const extraParts = (await change(tx)) || [];
      const events = [...earlier.parts, ...parts, ...extraParts].map((part) => ({ generationId, part }));
      await appendEvents(tx, conversationId, events, now);
    }),
  );
}

/**
 * Number of attempts to write messages, because another generation of the conversation may write at the same moment.
 */
const ATTEMPTS = 5;

async function appendHeld(
  { db, clock }: Pick<BackendPorts, "db" | "clock">,
  { generationId, conversationId, node }: Owner,
  { parts, change = {} }: Batch,
  { condition, question }: { condition?: RawBuilder<unknown>; question?: RawBuilder<boolean> },
): ReturnType<typeof appendEvents> {
  const now = clock.now();
  const events = parts.map((part) => ({ generationId, part }));
  const changes = toSql(change, { generationId, conversationId, now });
  const holdCondition = {
    ...createHeldCondition({ generationId, node }, changes, condition),
    ...(question ? { question } : {}),
  };
  for (let attempts = ATTEMPTS - 1; ; attempts--) {
    try {
      return await appendEvents(db, conversationId, events, now, holdCondition);
    } catch (error) {
      if (!isMessageCollision(error) || attempts === 0) throw error;
    }
  }
}

function toSql(
  { messages = [], generation = {}, rows = [] }: RowChange,
  { generationId, conversationId, now }: { generationId: string; conversationId: string; now: number },
): RawBuilder<unknown>[] {
  return [
    ...rows,
    ...(messages.length > 0 ? [appendMessagesSql(conversationId, { messages, generationId, now })] : []),
    ...(Object.keys(generation).length > 0 ? [changeGenerationSql(generation)] : []),
  ];
}

type Delta = Extract<StreamPart, { type: "text-delta" | "reasoning-delta" | "tool-input-delta" }>;

function isDelta(part: StreamPart): part is Delta {
  return part.type === "text-delta" || part.type === "reasoning-delta" || part.type === "tool-input-delta";
}

/** Adds a delta to the last one of the same text, if that is still waiting. */
function addDelta(pending: StreamPart[], part: StreamPart): boolean {
  const last = pending.at(-1);
  if (last === undefined || !isDelta(part) || !isDelta(last) || last.type !== part.type) return false;
  if (part.type === "tool-input-delta") {
    if (last.type !== "tool-input-delta" || last.toolCallId !== part.toolCallId) return false;
    pending[pending.length - 1] = { ...last, inputTextDelta: last.inputTextDelta + part.inputTextDelta };
    return true;
  }
  if (last.type === "tool-input-delta" || last.id !== part.id) return false;
  pending[pending.length - 1] = { ...last, delta: last.delta + part.delta } as StreamPart;
  return true;
}
