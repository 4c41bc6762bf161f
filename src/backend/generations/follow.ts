import type { BackendPorts } from "../ports.ts";
import { EVENTS_AT_ONCE, readEvents, type StoredEvent } from "../store/events.ts";
import { noteFollowers } from "../store/followers.ts";
import { ANY } from "../store/node.ts";

/**
 * Milliseconds after which the log is looked at although nobody said that it grew. A connection that drops is noticed and followed by a look;
 * this is for one that died without a word.
 */
const LOOK_AGAIN = 15_000;

/** Reads of one conversation's log, shared by all who follow it at the same place. */
export type Hub = {
  /**
   * The log of a conversation after a number, and whatever is added to it, until the signal fires.
   */
  follow(conversationId: string, after: number, signal: AbortSignal): AsyncGenerator<StoredEvent[]>;
  /** How many follow a conversation here. */
  followers(conversationId: string): number;
  /** How many follow anything here. */
  size(): number;
  /** Whoever follows gets what is there already, then no more: it is to go on at another node. */
  close(): void;
};

export function createHub({ db, node }: Pick<BackendPorts, "db" | "node">): Hub {
  const topics = new Map<string, Topic>();
  const notes = new Map<string, Promise<void>>();
  let closed = false;
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
    async *follow(id, after, signal) {
      const topic = topics.get(id) ?? { count: 0, version: 0, waiting: new Set(), reads: new Map() };
      topics.set(id, topic);
      topic.count++;
      if (topic.count === 1) note(id);
      try {
        // A notification is heard only by who has a connection; whoever follows needs it.
        await node.number().catch(() => {});
        for (let position = after; !signal.aborted; ) {
          const { version } = topic;
          let events: StoredEvent[] | undefined = await read(topic, id, position);
          const complete = events.length < EVENTS_AT_ONCE;
          position = events.at(-1)?.number ?? position;
          if (events.length > 0) yield events;
          // Not kept for as long as nothing happens.
          events = undefined;
          if (!complete || topic.version !== version) continue;
          if (closed) return;
          await changed(topic, signal);
        }
      } finally {
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
      // The notification of the last parts may still be on its way.
      for (const topic of topics.values()) wake(topic);
    },
  };
}

type Topic = {
  count: number;
  /** Raised by each notification, so that one which comes during a read is not lost. */
  version: number;
  waiting: Set<() => void>;
  reads: Map<number, Promise<StoredEvent[]>>;
};

function wake(topic: Topic | undefined): void {
  if (topic === undefined) return;
  topic.version++;
  topic.reads.clear();
  for (const go of topic.waiting) go();
  topic.waiting.clear();
}

function changed(topic: Topic, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", go);
      topic.waiting.delete(go);
      resolve();
    };
    const timer = setTimeout(go, LOOK_AGAIN);
    topic.waiting.add(go);
    signal.addEventListener("abort", go, { once: true });
    if (signal.aborted) go();
  });
}
