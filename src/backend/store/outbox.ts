import { CHANNELS, type Topic, type WakeUp } from "./wake-ups.ts";

/** Milliseconds that IDs are gathered before other nodes are notified. */
const GATHER = 15;

/** Milliseconds for which a node that found no other one gathers, before it looks for one again. */
const ALONE = 1_000;

/** Milliseconds until a notification that failed is tried again. */
const RETRY = 500;

/** Sends wake-ups. Returns whether another node was there to hear them. */
type Send = (channels: string[], ids: string[]) => Promise<boolean>;

/** Wake-ups that other nodes have not received yet. Each ID is sent once, however often it was added. */
export type Outbox = {
  add(wakeUps: WakeUp[]): void;
  /** Sends the collected IDs now, because another node has started. */
  flush(): Promise<void>;
};

/**
 * A node that is alone sends nothing. While it works, it looks for others once a second and sends what it has collected
 * if there is one. A node that starts later reads the rows after that.
 */
export function createOutbox(send: Send): Outbox {
  let gathered = new Map<string, [Topic, string]>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  function schedule(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      if (gathered.size > 0) void flush();
    }, ms).unref();
  }
  async function sendGathered(): Promise<void> {
    const batch = gathered;
    gathered = new Map();
    const entries = [...batch.values()];
    const channels = entries.map(([topic]) => CHANNELS[topic]);
    try {
      const isHeard = await send(
        channels,
        entries.map(([, id]) => id),
      );
      schedule(isHeard ? GATHER : ALONE);
    } catch {
      gathered = new Map([...batch, ...gathered]);
      schedule(RETRY);
    }
  }
  function flush(): Promise<void> {
    sending ??= sendGathered().finally(() => {
      sending = undefined;
    });
    return sending;
  }
  return {
    add(wakeUps) {
      for (const { topic, id } of wakeUps) gathered.set(`${topic} ${id}`, [topic, id]);
      if (!timer && !sending) schedule(GATHER);
    },
    async flush() {
      await sending;
      if (gathered.size > 0) await flush();
    },
  };
}
