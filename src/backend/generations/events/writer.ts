import type { RawBuilder } from "kysely";
import type { StreamPart } from "#protocol/events";
import { traceSpan } from "#telemetry/trace";
import type { BackendPorts } from "../../ports.ts";
import { isMessageCollision } from "../../store/conversations.ts";
import { appendEvents, type Holder, whileHeldBy } from "../../store/events.ts";
import { isHolder } from "../../store/generations.ts";
import type { DbConnection } from "../../store/schema.ts";
import { runTransaction } from "../../store/wake-ups.ts";

/** Milliseconds that deltas are gathered before they are written: a person sees no difference, the database does. */
const GATHER = 40;

/** Another node works on the generation now; whatever this one still does about it must not be written. */
export class LostGeneration extends Error {}

/**
 * A change of rows: statements that run with the parts in one, or a function that needs several. The parts it returns
 * follow the others.
 */
type Change = RawBuilder<unknown>[] | ((tx: DbConnection) => Promise<StreamPart[]> | Promise<void>);

/** Writes a generation's parts to the log of its conversation, in order, as long as this node is the one that works on it. */
export type Writer = {
  /** To be written soon. */
  push(part: StreamPart): void;
  /** Written now, with everything before, in one transaction with the change that the parts tell of. @throws LostGeneration */
  commit(parts: StreamPart[], change?: Change): Promise<void>;
  /**
   * The same if the row of the generation also meets a condition.
   * @returns false when it does not: then nothing is written, and what came before is still to be written
   */
  commitIf(condition: RawBuilder<unknown>, parts: StreamPart[], change: RawBuilder<unknown>[]): Promise<boolean>;
  /** Returns why writing failed. Nothing is written after that. */
  failure(): unknown;
};

type Owner = Holder & { conversationId: string };

/** @param failed called once when writing fails, so that the work stops */
export function createWriter(
  ports: Pick<BackendPorts, "db" | "clock" | "observe">,
  owner: Owner,
  failed: () => void,
): Writer {
  let waiting: StreamPart[] = [];
  let timer: NodeJS.Timeout | undefined;
  let queue: Promise<void> = Promise.resolve();
  let failure: unknown;

  const write = (write: (before: StreamPart[]) => Promise<void> | undefined): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const before = waiting;
    waiting = [];
    const written = queue.then(() => {
      if (failure !== undefined) throw failure;
      return write(before);
    });
    queue = written.catch((error: unknown) => {
      failure ??= error;
    });
    return written;
  };
  const writeParts = (parts: StreamPart[], change?: Change) =>
    write((before) =>
      before.length + parts.length > 0 || change ? append(ports, owner, [...before, ...parts], change) : undefined,
    );
  const soon = (ms: number) => {
    timer ??= setTimeout(() => {
      writeParts([]).catch(failed);
    }, ms);
  };
  return {
    push(part) {
      if (!join(waiting, part)) waiting.push(part);
      if (!isDelta(part)) clearTimeout(timer);
      if (!isDelta(part)) timer = undefined;
      soon(isDelta(part) ? GATHER : 0);
    },
    commit: writeParts,
    async commitIf(condition, parts, change) {
      let isWritten = false;
      await write(async (before) => {
        isWritten = await appendHeld(ports, owner, [...before, ...parts], change, condition);
        if (!isWritten) waiting = [...before, ...waiting];
      });
      return isWritten;
    },
    failure: () => failure,
  };
}

async function append(
  { db, clock, observe }: Pick<BackendPorts, "db" | "clock" | "observe">,
  { generationId, conversationId, node }: Owner,
  parts: StreamPart[],
  change?: Change,
): Promise<void> {
  if (typeof change !== "function") {
    const owner = { generationId, conversationId, node };
    if (!(await appendHeld({ db, clock }, owner, parts, change))) throw new LostGeneration();
    return;
  }
  const events = (all: StreamPart[]) => all.map((part) => ({ generationId, part }));
  await traceSpan(observe, "commit", { kind: "client", attributes: { "db.system.name": "postgresql" } }, () =>
    runTransaction(db, async (tx) => {
      if (!(await isHolder(tx, generationId, node))) throw new LostGeneration();
      const more = (await change(tx)) || [];
      await appendEvents(tx, conversationId, events([...parts, ...more]), clock.now());
    }),
  );
}

/** Attempts to write messages, which another generation of the conversation may write at the same moment. */
const ATTEMPTS = 5;

async function appendHeld(
  { db, clock }: Pick<BackendPorts, "db" | "clock">,
  { generationId, conversationId, node }: Owner,
  parts: StreamPart[],
  change: RawBuilder<unknown>[] | undefined,
  condition?: RawBuilder<unknown>,
): Promise<boolean> {
  const events = parts.map((part) => ({ generationId, part }));
  const held = whileHeldBy({ generationId, node }, change, condition);
  for (let left = ATTEMPTS - 1; ; left--) {
    try {
      return await appendEvents(db, conversationId, events, clock.now(), held);
    } catch (error) {
      if (!isMessageCollision(error) || left === 0) throw error;
    }
  }
}

type Delta = Extract<StreamPart, { type: "text-delta" | "reasoning-delta" | "tool-input-delta" }>;

function isDelta(part: StreamPart): part is Delta {
  return part.type === "text-delta" || part.type === "reasoning-delta" || part.type === "tool-input-delta";
}

/** Adds a delta to the last one of the same text, if that is still waiting. */
function join(waiting: StreamPart[], part: StreamPart): boolean {
  const last = waiting.at(-1);
  if (last === undefined || !isDelta(part) || !isDelta(last) || last.type !== part.type) return false;
  if (part.type === "tool-input-delta") {
    if (last.type !== "tool-input-delta" || last.toolCallId !== part.toolCallId) return false;
    waiting[waiting.length - 1] = { ...last, inputTextDelta: last.inputTextDelta + part.inputTextDelta };
    return true;
  }
  if (last.type === "tool-input-delta" || last.id !== part.id) return false;
  waiting[waiting.length - 1] = { ...last, delta: last.delta + part.delta } as StreamPart;
  return true;
}
