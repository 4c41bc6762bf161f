import type { BackendPorts } from "../../ports.ts";
import { recordFollowers } from "../../store/clients.ts";
import { listGrown, MAX_EVENTS_PER_READ, readEvents } from "../../store/events.ts";
import { ANY_ID } from "../../store/node.ts";
import type { StoredEvent } from "../../store/schema-work.ts";
import { createPresenceTracker, type PresenceTracker } from "./presence.ts";

/**
 * Interval in ms at which a node that knows of no other checks all followed logs. It covers a connection that died
 * silently; a dropped one is noticed and followed by a check.
 */
const LOOK_AGAIN = 15_000;

/**
 * Longest time in ms until other nodes learn of readers: most streams are over by then. One statement
 * reports the changes of half that time.
 */
const NOTE_MS = 1_000;

/** How long parts written in this process are buffered for its followers, in ms, and how many. */
const FRESH_MS = 500;
const MOST_FRESH = 64;

/** Reads of a conversation's log, shared by all followers at the same position. */
export type EventHub = {
  /**
   * Calls `look` whenever the log of a conversation may have grown, and when the node closes. Returns the
   * function that unsubscribes.
   */
  watch(conversationId: string, look: () => void): () => void;
  /** Buffers what is written to a new conversation until its first reader attaches, for a moment at most. */
  keep(conversationId: string): void;
  /** Whether a conversation began here a moment ago. */
  isNew(conversationId: string): boolean;
  /** Returns the log after a number, at most as many events as one read of the store returns. */
  read(conversationId: string, after: number): Promise<StoredEvent[]>;
  /** Yields the log of a conversation after a number, then new events, until the signal fires. */
  follow(conversationId: string, after: number, signal: AbortSignal): AsyncGenerator<StoredEvent[]>;
  /** Returns the followers of a conversation. `look` is also called when they change. */
  present: PresenceTracker;
  /** Checks every followed log with one query, even without a notification. */
  lookAgain(): Promise<void>;
  /** Number of followers of a conversation on this node. */
  followers(conversationId: string): number;
  /** Number of followers on this node. */
  size(): number;
  /** Sends followers the rest of the log and ends their streams, so that they continue at another node. */
  close(): void;
  isClosed(): boolean;
};

export function createEventHub(ports: Pick<BackendPorts, "db" | "node" | "clock" | "log" | "leaveMs">): EventHub {
  const { db, node } = ports;
  const topics = new Map<string, Topic>();
  const unnotedIds = new Set<string>();
  let noteQueue = Promise.resolve();
  // A reader that comes here from another node must be noted before that one stops what has no follower.
  const noteMs = Math.min(NOTE_MS, ports.leaveMs / 3) / 2;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const present = createPresenceTracker(ports, (id) => rouse(topics.get(id)));
  const stop = node.on("events", (id, events) => {
    if (events) return add(topics.get(id), events);
    for (const topic of id === ANY_ID ? topics.values() : [topics.get(id)]) wake(topic);
    // The node has a new number now.
    if (id === ANY_ID) for (const [followed, { isNoted }] of topics) if (isNoted) note(followed);
  });
  /** Reports to other nodes whether this node has readers. */
  function note(id: string): void {
    unnotedIds.add(id);
    if (unnotedIds.size > 1) return;
    setTimeout(() => {
      const ids = [...unnotedIds];
      unnotedIds.clear();
      // One after another, each with the current state.
      noteQueue = noteQueue
        .then(async () => {
          const followed = ids.filter((candidate) => topics.has(candidate));
          const unfollowed = ids.filter((candidate) => !topics.has(candidate));
          await recordFollowers(db, await node.number(), { followed, left: unfollowed });
        })
        .catch(() => {});
    }, noteMs).unref();
  }
  async function lookAgain(): Promise<void> {
    const positions = [...topics].map(([id, { last }]) => ({ id, last }));
    for (const id of await listGrown(db, positions)) wake(topics.get(id));
  }
  function watch(id: string, look: () => void): () => void {
    const topic: Topic = topics.get(id) ?? { looks: new Set(), last: 0, reads: undefined, fresh: undefined };
    topics.set(id, topic);
    topic.looks.add(look);
    topic.noting ??= setTimeout(() => {
      topic.isNoted = true;
      note(id);
    }, noteMs).unref();
    // If it fails, the database is away. When it is back, every node checks its logs.
    timer ??= setInterval(() => void lookAgain().catch(() => {}), LOOK_AGAIN).unref();
    return () => {
      if (topic.looks.delete(look)) drop(id, topic);
    };
  }
  function drop(id: string, topic: Topic): void {
    if (topic.looks.size > 0 || topic.isKept || topics.get(id) !== topic) return;
    topics.delete(id);
    clearTimeout(topic.noting);
    if (topic.isNoted) note(id);
    if (topics.size === 0) clearInterval(timer);
    if (topics.size === 0) timer = undefined;
  }
  function keep(id: string): void {
    const topic: Topic = { looks: new Set(), last: 0, reads: undefined, fresh: undefined, isKept: true };
    topics.set(id, topic);
    setTimeout(() => {
      topic.isKept = false;
      drop(id, topic);
    }, FRESH_MS).unref();
  }
  async function readNow(topic: Topic | undefined, id: string, after: number): Promise<StoredEvent[]> {
    // Only an open connection hears notifications, so followers need one.
    await node.number().catch(() => {});
    const events = await readEvents(db, id, after);
    if (topic) topic.last = Math.max(topic.last, events.at(-1)?.number ?? after);
    return events;
  }
  function read(id: string, after: number): Promise<StoredEvent[]> {
    const topic = topics.get(id);
    const fresh = topic?.fresh;
    // Writers may report their parts out of order; then the log alone has all of them.
    if (fresh && after >= fresh.after && after <= fresh.last && fresh.last === topic.last)
      return Promise.resolve(fresh.events.slice(after - fresh.after));
    const pendingRead = topic?.reads?.get(after);
    if (topic === undefined || pendingRead) return pendingRead ?? readNow(topic, id, after);
    topic.reads ??= new Map();
    const { reads } = topic;
    const events = readNow(topic, id, after).finally(() => {
      reads.delete(after);
      if (reads.size === 0 && topic.reads === reads) topic.reads = undefined;
    });
    reads.set(after, events);
    return events;
  }
  return {
    watch,
    keep,
    isNew: (id) => topics.get(id)?.isKept === true,
    read,
    present,
    lookAgain,
    async *follow(id, after, signal) {
      const changes = getChanges((look) => watch(id, look), signal);
      try {
        for (let position = after; !signal.aborted; ) {
          const changeCount = changes.count();
          const events = await read(id, position);
          position = events.at(-1)?.number ?? position;
          if (events.length > 0) yield events;
          if (events.length >= MAX_EVENTS_PER_READ || changes.count() !== changeCount) continue;
          if (closed) return;
          await changes.next();
        }
      } finally {
        changes.end();
      }
    },
    followers: (id) => topics.get(id)?.looks.size ?? 0,
    size: () => [...topics.values()].reduce((sum, { looks }) => sum + looks.size, 0),
    close: () => {
      closed = true;
      stop();
      present.close();
      // The notification of the last parts may still be on its way.
      for (const topic of topics.values()) wake(topic);
    },
    isClosed: () => closed,
  };
}

type Topic = {
  looks: Set<() => void>;
  /** Set until other nodes know that there are readers, and whether they do. */
  noting?: NodeJS.Timeout;
  /** Kept without readers: the conversation began here a moment ago. */
  isKept?: boolean;
  isNoted?: boolean;
  /** Number of the latest event that was read. */
  last: number;
  reads: Map<number, Promise<StoredEvent[]>> | undefined;
  /** Parts between two numbers, as this process just wrote them. */
  fresh: { after: number; last: number; events: StoredEvent[] } | undefined;
};

/** Adds parts that were written in this process. A follower at another place reads the log. */
function add(topic: Topic | undefined, events: StoredEvent[]): void {
  const first = events[0];
  if (!topic || !first) return;
  const fresh = { after: first.number - 1, last: first.number - 1 + events.length, events };
  const previous = topic.fresh;
  if (previous?.last === fresh.after && previous.events.length < MOST_FRESH) {
    fresh.after = previous.after;
    fresh.events = [...previous.events, ...events];
  }
  topic.fresh = fresh;
  topic.reads = undefined;
  topic.last = Math.max(topic.last, fresh.last);
  setTimeout(() => {
    if (topic.fresh === fresh) topic.fresh = undefined;
  }, FRESH_MS).unref();
  rouse(topic);
}

/** Notifies the readers. Drops reads and buffered parts, which may not include everything. */
function wake(topic: Topic | undefined): void {
  if (topic) topic.reads = undefined;
  if (topic) topic.fresh = undefined;
  rouse(topic);
}

function rouse(topic: Topic | undefined): void {
  for (const look of [...(topic?.looks ?? [])]) look();
}

/** Counts the changes, so that one which comes during a read is not lost, and waits for the next. */
function getChanges(watch: (look: () => void) => () => void, signal: AbortSignal) {
  let count = 0;
  let resume = () => {};
  const countChange = () => {
    count++;
    resume();
  };
  const unwatch = watch(countChange);
  signal.addEventListener("abort", countChange, { once: true });
  return {
    count: () => count,
    next: () =>
      new Promise<void>((resolve) => {
        resume = resolve;
        if (signal.aborted) resolve();
      }),
    end: () => {
      signal.removeEventListener("abort", countChange);
      unwatch();
    },
  };
}
