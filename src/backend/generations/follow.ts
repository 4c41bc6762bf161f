import type { BackendPorts } from "../ports.ts";
import { EVENTS_AT_ONCE, readEvents, type StoredEvent } from "../store/events.ts";
import { noteFollowers } from "../store/followers.ts";
import { ANY } from "../store/node.ts";
import { createPresence } from "./presence.ts";

/**
 * Milliseconds after which the log is looked at although nobody said that it grew. A connection that drops is noticed and followed by a look;
 * this is for one that died without a word.
 */
const LOOK_AGAIN = 15_000;

/** Reads of one conversation's log, shared by all who follow it at the same place. */
export type Hub = {
  /**
   * The log of a conversation after a number, and whatever is added to it, until the signal fires. With `presence` also who follows it, which
   * has the number 0: after what is there already, then whenever it is otherwise.
   */
  follow(
    conversationId: string,
    after: number,
    signal: AbortSignal,
    options?: { presence?: boolean },
  ): AsyncGenerator<StoredEvent[]>;
  /** How many follow a conversation here. */
  followers(conversationId: string): number;
  /** How many follow anything here. */
  size(): number;
  /** Whoever follows gets what is there already, then no more: it is to go on at another node. */
  close(): void;
};

export function createHub(ports: Pick<BackendPorts, "db" | "node" | "clock" | "log">): Hub {
  const { db, node } = ports;
  const topics = new Map<string, Topic>();
  const notes = new Map<string, Promise<void>>();
  let closed = false;
  const present = createPresence(ports, (id) => rouse(topics.get(id)));
  const stop = node.on("events", (id) => {
    for (const topic of id === ANY ? topics.values() : [topics.get(id)]) wake(topic);
    // The node has another number now.
    if (id === ANY) for (const followed of topics.keys()) note(followed);
  });
  /** Other nodes are told whether somebody reads here: one note after another, each with what is true then. */
  function note(id: string): void {
    const noted = (notes.get(id) ?? Promise.resolve())
      .then(async () => noteFollowers(db, id, await node.number(), topics.has(id)))
      .catch(() => {})
      .then(() => {
        if (notes.get(id) === noted) notes.delete(id);
      });
    notes.set(id, noted);
  }
  const read = (topic: Topic, id: string, after: number) => {
    const known = topic.reads.get(after);
    if (known) return known;
    const reading = readEvents(db, id, after).finally(() => topic.reads.delete(after));
    topic.reads.set(after, reading);
    return reading;
  };
  return {
    async *follow(id, after, signal, { presence = false } = {}) {
      const topic = topics.get(id) ?? { count: 0, version: 0, waiting: new Set(), reads: new Map() };
      topics.set(id, topic);
      topic.count++;
      if (topic.count === 1) note(id);
      if (presence) present.hold(id);
      try {
        // A notification is heard only by who has a connection; whoever follows needs it.
        await node.number().catch(() => {});
        let readAt = -1;
        let told = 0;
        for (let position = after; !signal.aborted; ) {
          if (readAt !== topic.version) {
            const { version } = topic;
            let events: StoredEvent[] | undefined = await read(topic, id, position);
            if (events.length < EVENTS_AT_ONCE) readAt = version;
            position = events.at(-1)?.number ?? position;
            if (events.length > 0) yield events;
            // Not kept for as long as nothing happens.
            events = undefined;
            if (readAt !== topic.version) continue;
          }
          const word = presence ? present.now(id) : undefined;
          if (word && word.version !== told) {
            told = word.version;
            yield [word.event];
            continue;
          }
          if (closed) return;
          if (await changed(topic, signal)) readAt = -1;
        }
      } finally {
        if (presence) present.release(id);
        if (--topic.count === 0) {
          topics.delete(id);
          note(id);
        }
      }
    },
    followers: (id) => topics.get(id)?.count ?? 0,
    size: () => [...topics.values()].reduce((sum, { count }) => sum + count, 0),
    close: () => {
      closed = true;
      stop();
      present.close();
      // The notification of the last parts may still be on its way.
      for (const topic of topics.values()) wake(topic);
    },
  };
}

type Topic = {
  count: number;
  /** Raised by each notification, so that one which comes during a read is not lost. */
  version: number;
  waiting: Set<(isLong: boolean) => void>;
  reads: Map<number, Promise<StoredEvent[]>>;
};

function wake(topic: Topic | undefined): void {
  if (topic === undefined) return;
  topic.version++;
  topic.reads.clear();
  rouse(topic);
}

function rouse(topic: Topic | undefined): void {
  for (const go of topic?.waiting ?? []) go(false);
  topic?.waiting.clear();
}

/** Whether nothing was heard for so long that the log is to be looked at anyhow. */
function changed(topic: Topic, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const go = (isLong: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      topic.waiting.delete(go);
      resolve(isLong);
    };
    const over = () => go(false);
    const timer = setTimeout(() => go(true), LOOK_AGAIN);
    topic.waiting.add(go);
    signal.addEventListener("abort", over, { once: true });
    if (signal.aborted) over();
  });
}
