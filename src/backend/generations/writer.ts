import type { RawBuilder } from "kysely";
import type { StreamPart } from "#protocol/events";
import { traceSpan } from "#telemetry/trace";
import type { BackendPorts } from "../ports.ts";
import { appendEvents, type Holder, whileHeldBy } from "../store/events.ts";
import { isHolder } from "../store/generations.ts";
import type { DbConnection } from "../store/schema.ts";
import { runTransaction } from "../store/wake-ups.ts";

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

  const write = (change?: Change): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const parts = waiting;
    waiting = [];
    const written = queue.then(() => {
      if (failure !== undefined) throw failure;
      return parts.length > 0 || change ? append(ports, owner, parts, change) : undefined;
    });
    queue = written.catch((error: unknown) => {
      failure ??= error;
    });
    return written;
  };
  const soon = (ms: number) => {
    timer ??= setTimeout(() => {
      write().catch(failed);
    }, ms);
  };
  return {
    push(part) {
      if (!join(waiting, part)) waiting.push(part);
      if (!isDelta(part)) clearTimeout(timer);
      if (!isDelta(part)) timer = undefined;
      soon(isDelta(part) ? GATHER : 0);
    },
    commit(parts, change) {
      for (const part of parts) waiting.push(part);
      return write(change);
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
  const events = (all: StreamPart[]) => all.map((part) => ({ generationId, part }));
  if (typeof change !== "function") {
    const held = whileHeldBy({ generationId, node }, change);
    if (!(await appendEvents(db, conversationId, events(parts), clock.now(), held))) throw new LostGeneration();
    return;
  }
  await traceSpan(observe, "commit", { kind: "client", attributes: { "db.system.name": "postgresql" } }, () =>
    runTransaction(db, async (tx) => {
      if (!(await isHolder(tx, generationId, node))) throw new LostGeneration();
      const more = (await change(tx)) || [];
      await appendEvents(tx, conversationId, events([...parts, ...more]), clock.now());
    }),
  );
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
