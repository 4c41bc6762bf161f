import { once } from "node:events";
import { within } from "./within.ts";

const LIMIT = 30_000;

/** What a process is started with, so that it can be asked by {@link liveHeap}. It says where on stderr. */
export const INSPECTED = { NODE_OPTIONS: "--inspect=127.0.0.1:0" };

/**
 * Bytes that a process still needs when everything else was given back, by the protocol of Node's inspector. That collects garbage, so what the
 * system counts is to be read before.
 *
 * @param address `ws://…`, as the process said it
 */
export async function liveHeap(address: string): Promise<number> {
  const socket = new WebSocket(address);
  await within(LIMIT, once(socket, "open"), "the inspector");
  const ask = async (id: number, method: string): Promise<Record<string, number>> => {
    socket.send(JSON.stringify({ id, method }));
    for (;;) {
      const [{ data }] = await within(LIMIT, once(socket, "message"), method);
      const answer = JSON.parse(String(data)) as { id?: number; result: Record<string, number> };
      if (answer.id === id) return answer.result;
    }
  };
  try {
    await ask(1, "HeapProfiler.collectGarbage");
    const { usedSize = 0, backingStorageSize = 0 } = await ask(2, "Runtime.getHeapUsage");
    return usedSize + backingStorageSize;
  } finally {
    socket.close();
  }
}
