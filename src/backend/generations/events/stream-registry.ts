import type { BackendPorts } from "../../ports.ts";
import {
  attachClient,
  type ClientKey,
  detachClient,
  forgetLostClients,
  type PartialMode,
} from "../../store/clients.ts";
import { ANY_ID } from "../../store/node.ts";

/** Milliseconds that a client stays when its stream ended: most come back at once, at this node or another one. */
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

type Here = { place: ClientKey; mode: PartialMode; streams: number; noted: Promise<void>; leaving?: NodeJS.Timeout };

export function createStreamRegistry({ db, clock, node, log }: Ports): StreamRegistry {
  const here = new Map<string, Here>();
  let closed = false;
  /** Updates are written one after another, each with the current state. */
  function note(key: string, one: Here, mode: PartialMode): Promise<void> {
    const noted = one.noted
      .catch(() => {})
      .then(async () => {
        const number = await node.number();
        if (closed) return;
        if (one.streams > 0) return attachClient(db, one.place, mode, { node: number, now: clock.now() });
        await detachClient(db, one.place, number);
        if (one.streams === 0 && here.get(key) === one && one.noted === noted) here.delete(key);
      });
    one.noted = noted;
    return noted;
  }
  const noteLater = (key: string, one: Here, mode: PartialMode) =>
    void note(key, one, mode).catch((error: unknown) => log("warn", "presence.failed", { error }));
  const stop = node.on("presence", (id) => {
    // The node has a new number. The rows of the old one still hold what its clients reported.
    if (id === ANY_ID) for (const [key, one] of here) noteLater(key, one, toSilentMode(one.mode));
  });
  function leave(key: string, one: Here): void {
    one.streams -= 1;
    if (one.streams > 0 || closed) return;
    one.leaving = setTimeout(() => noteLater(key, one, {}), LINGER);
    one.leaving.unref();
  }
  return {
    async attend(place, mode) {
      const key = JSON.stringify([place.conversationId, place.clientId]);
      const one = here.get(key) ?? { place, mode, streams: 0, noted: Promise.resolve() };
      here.set(key, one);
      clearTimeout(one.leaving);
      one.streams += 1;
      one.mode = { ...one.mode, ...mode };
      let hasLeft = false;
      const leaves = () => {
        if (!hasLeft) leave(key, one);
        hasLeft = true;
      };
      await note(key, one, mode).catch((error: unknown) => {
        leaves();
        throw error;
      });
      return leaves;
    },
    async close() {
      closed = true;
      stop();
      for (const { leaving } of here.values()) clearTimeout(leaving);
      if (here.size === 0) return;
      await Promise.allSettled([...here.values()].map(({ noted }) => noted));
      here.clear();
      const forgetClients = async () => forgetLostClients(db, clock.now(), await node.number());
      await forgetClients().catch((error: unknown) => log("warn", "presence.failed", { error }));
    },
  };
}

type Ports = Pick<BackendPorts, "db" | "clock" | "node" | "log">;

/** The name of the client. Whether it answers may have changed since. */
function toSilentMode({ name }: PartialMode): PartialMode {
  return name === undefined ? {} : { name };
}
