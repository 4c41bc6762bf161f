import { once } from "node:events";
import { within } from "./within.ts";

const LIMIT = 30_000;

/** Flags that let {@link liveHeap} inspect a process, which prints its address on stderr. */
export const INSPECTED = { NODE_OPTIONS: "--inspect=127.0.0.1:0" };

/**
 * Returns the live heap of a process in bytes, through Node's inspector. This collects garbage, so read the system's
 * count first.
 *
 * @param address `ws://…`, as the process printed it
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
