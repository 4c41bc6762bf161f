import type { BackendPorts } from "../../ports.ts";
import {
  attachClient,
  type ClientKey,
  detachClient,
  forgetLostClients,
  type PartialMode,
} from "../../store/clients.ts";
import { ANY_ID } from "../../store/node.ts";

/** How long a client stays after its stream ended, in ms: most return at once, at this node or another one. */
const LINGER = 500;

/** Tracks which clients have a stream on this node. Other nodes read it from the rows. */
export type StreamRegistry = {
  /**
   * Records that a client has a stream here.
   *
   * @returns a function to call when the stream ends; if a client has several, the last one counts
   */
  attend(place: ClientKey, mode: PartialMode): Promise<() => void>;
  /** Removes all clients of this node. */
  close(): Promise<void>;
};

type StreamEntry = {
  place: ClientKey;
  mode: PartialMode;
  streams: number;
  noted: Promise<void>;
  leaving?: NodeJS.Timeout;
};

export function createStreamRegistry({ db, clock, node, log }: Ports): StreamRegistry {
  const entries = new Map<string, StreamEntry>();
  let isClosed = false;
  /** Updates are written one after another, each with the current state. */
  function note(key: string, entry: StreamEntry, mode: PartialMode): Promise<void> {
    const update = entry.noted
      .catch(() => {})
      .then(async () => {
        const number = await node.number();
        if (isClosed) return;
        if (entry.streams > 0) return attachClient(db, entry.place, mode, { node: number, now: clock.now() });
        await detachClient(db, entry.place, number);
        if (entry.streams === 0 && entries.get(key) === entry && entry.noted === update) entries.delete(key);
      });
    entry.noted = update;
    return update;
  }
  const noteLater = (key: string, entry: StreamEntry, mode: PartialMode) =>
    void note(key, entry, mode).catch((error: unknown) => log("warn", "presence.failed", { error }));
  const stop = node.on("presence", (id) => {
    // The node has a new number. The rows of the old one still hold what its clients reported.
    if (id === ANY_ID) for (const [key, entry] of entries) noteLater(key, entry, toSilentMode(entry.mode));
  });
  function leave(key: string, entry: StreamEntry): void {
    entry.streams -= 1;
    if (entry.streams > 0 || isClosed) return;
    entry.leaving = setTimeout(() => noteLater(key, entry, {}), LINGER);
    entry.leaving.unref();
  }
  return {
    async attend(place, mode) {
      const key = JSON.stringify([place.conversationId, place.clientId]);
      const entry = entries.get(key) ?? { place, mode, streams: 0, noted: Promise.resolve() };
      entries.set(key, entry);
      clearTimeout(entry.leaving);
      entry.streams += 1;
      entry.mode = { ...entry.mode, ...mode };
      let hasLeft = false;
      const release = () => {
        if (!hasLeft) leave(key, entry);
        hasLeft = true;
      };
      await note(key, entry, mode).catch((error: unknown) => {
        release();
        throw error;
      });
      return release;
    },
    async close() {
      isClosed = true;
      stop();
      for (const { leaving } of entries.values()) clearTimeout(leaving);
      if (entries.size === 0) return;
      await Promise.allSettled([...entries.values()].map(({ noted }) => noted));
      entries.clear();
      const forgetClients = async () => forgetLostClients(db, clock.now(), await node.number());
      await forgetClients().catch((error: unknown) => log("warn", "presence.failed", { error }));
    },
  };
}

type Ports = Pick<BackendPorts, "db" | "clock" | "node" | "log">;

/** Keeps only the name of the client, because its ability to answer may have changed. */
function toSilentMode({ name }: PartialMode): PartialMode {
  return name === undefined ? {} : { name };
}
