import type { BackendPorts } from "../../ports.ts";
import { listClients } from "../../store/clients.ts";
import { ANY_ID } from "../../store/node.ts";
import type { StoredEvent } from "../../store/schema-work.ts";

/** Minimum time between two presence checks of a conversation, in ms, and its growth per follower. */
const BETWEEN_LOOKS = 100;
const FOR_EACH = 1;

/**
 * Tracks who follows a conversation. Presence is not part of the log: a new follower receives the current state, then
 * each change.
 */
export type PresenceTracker = {
  /**
   * Starts watching a conversation. `isEmpty`: no client follows it yet, so no check is needed until the first change.
   * Each call needs a matching `release`.
   */
  hold(conversationId: string, isEmpty?: boolean): void;
  release(conversationId: string): void;
  /**
   * Returns the current state with its sequence number, or undefined if the conversation never had a follower. The
   * log's numbers begin with 1; this has 0.
   */
  now(conversationId: string): PresenceState | undefined;
  close(): void;
};

type PresenceState = { version: number; event: StoredEvent };

type Watched = { held: number; word?: PresenceState; text: string; looking: boolean; again: boolean };

/** @param changed called with each conversation whose followers changed */
export function createPresenceTracker(
  { db, clock, node, log }: Ports,
  changed: (conversationId: string) => void,
): PresenceTracker {
  const watched = new Map<string, Watched>();
  let closed = false;
  const stop = node.on("presence", (id) => {
    for (const [watchedId, entry] of watched) if (id === ANY_ID || id === watchedId) look(watchedId, entry);
  });
  /** Checks at once, then not again for a while: followers that arrive together are reported together. */
  function look(id: string, entry: Watched): void {
    entry.again = entry.looking;
    if (entry.looking) return;
    entry.looking = true;
    const pauseLooking = () => {
      const timer = setTimeout(
        () => {
          entry.looking = false;
          if (entry.again && !closed && watched.get(id) === entry) look(id, entry);
        },
        BETWEEN_LOOKS + entry.held * FOR_EACH,
      );
      timer.unref();
    };
    void read(id, entry)
      .catch((error: unknown) => {
        entry.again = true;
        log("debug", "presence.failed", { error });
      })
      .then(pauseLooking);
  }
  async function read(id: string, entry: Watched): Promise<void> {
    const date = new Date(clock.now());
    const data = await listClients(db, id, date.getTime());
    const text = JSON.stringify(data);
    if (text === entry.text || closed) return;
    entry.text = text;
    const part = { type: "data-presence" as const, transient: true, data };
    entry.word = { version: (entry.word?.version ?? 0) + 1, event: { number: 0, generationId: null, part, at: date } };
    changed(id);
  }
  return {
    hold(id, isEmpty = false) {
      const entry = watched.get(id) ?? { held: 0, text: NO_CLIENTS, looking: false, again: false };
      entry.held += 1;
      if (watched.has(id)) return;
      watched.set(id, entry);
      if (!isEmpty) look(id, entry);
    },
    release(id) {
      const entry = watched.get(id);
      if (entry && --entry.held === 0) watched.delete(id);
    },
    now: (id) => watched.get(id)?.word,
    close() {
      closed = true;
      stop();
    },
  };
}

type Ports = Pick<BackendPorts, "db" | "clock" | "node" | "log">;

const NO_CLIENTS = JSON.stringify({ clients: [] });
