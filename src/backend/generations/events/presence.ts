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
   * Starts watching a conversation. `isEmpty`: no client follows it yet, so the first change tells who does. Each
   * call needs a matching `release`.
   */
  hold(conversationId: string, isEmpty?: boolean): void;
  release(conversationId: string): void;
  /**
   * Returns the current state with its sequence number, or undefined if the conversation never had a follower. The
   * log's numbers begin with 1; this has 0.
   */
  now(conversationId: string): Word | undefined;
  close(): void;
};

type Word = { version: number; event: StoredEvent };

type Watched = { held: number; word?: Word; text: string; looking: boolean; again: boolean };

/** @param changed called with each conversation of which there is another word now */
export function createPresenceTracker(
  { db, clock, node, log }: Ports,
  changed: (conversationId: string) => void,
): PresenceTracker {
  const watched = new Map<string, Watched>();
  let closed = false;
  const stop = node.on("presence", (id) => {
    for (const [known, one] of watched) if (id === ANY_ID || id === known) look(known, one);
  });
  /** Checks at once, then not again for a while: followers that arrive together are reported together. */
  function look(id: string, one: Watched): void {
    one.again = one.looking;
    if (one.looking) return;
    one.looking = true;
    const pauseLooking = () => {
      const timer = setTimeout(
        () => {
          one.looking = false;
          if (one.again && !closed && watched.get(id) === one) look(id, one);
        },
        BETWEEN_LOOKS + one.held * FOR_EACH,
      );
      timer.unref();
    };
    void read(id, one)
      .catch((error: unknown) => {
        one.again = true;
        log("debug", "presence.failed", { error });
      })
      .then(pauseLooking);
  }
  async function read(id: string, one: Watched): Promise<void> {
    const at = new Date(clock.now());
    const data = await listClients(db, id, at.getTime());
    const text = JSON.stringify(data);
    if (text === one.text || closed) return;
    one.text = text;
    const part = { type: "data-presence" as const, transient: true, data };
    one.word = { version: (one.word?.version ?? 0) + 1, event: { number: 0, generationId: null, part, at } };
    changed(id);
  }
  return {
    hold(id, isEmpty = false) {
      const one = watched.get(id) ?? { held: 0, text: NOBODY, looking: false, again: false };
      one.held += 1;
      if (watched.has(id)) return;
      watched.set(id, one);
      if (!isEmpty) look(id, one);
    },
    release(id) {
      const one = watched.get(id);
      if (one && --one.held === 0) watched.delete(id);
    },
    now: (id) => watched.get(id)?.word,
    close() {
      closed = true;
      stop();
    },
  };
}

type Ports = Pick<BackendPorts, "db" | "clock" | "node" | "log">;

const NOBODY = JSON.stringify({ clients: [] });
