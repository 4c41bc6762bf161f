import { type Api, createApi } from "#client/api/api";
import type { ApiOptions } from "#client/api/caller";
import type { NumberedPart } from "#protocol/numbered-parts";
import { BACKEND, createNetwork, type Network } from "./network.ts";
import { type VirtualClock, virtualClock } from "./virtual-clock.ts";

/** An api on a scripted network without sockets, signed in, on a clock that moves by itself. */
export function streamWorld(more: Partial<ApiOptions> = {}): { api: Api; network: Network; clock: VirtualClock } {
  const clock = virtualClock(Date.UTC(2026, 10, 27, 12));
  const network = createNetwork(clock);
  const { send, openStream } = network;
  const random = (bytes: number) => new Uint8Array(bytes);
  const options = { baseUrl: BACKEND, send, openStream, clock, random, version: "0.0.0-test", token: "T0", ...more };
  return { api: createApi(options), network, clock };
}

/** Parts as written into a backend's stream, numbered from `from` on. */
export function frames(parts: Record<string, unknown>[], from = 1): string {
  return parts.map((part, index) => `id: ${from + index}\ndata: ${JSON.stringify(part)}\n\n`).join("");
}

/** The text of the parts of an answer. */
export function joinText(parts: NumberedPart[]): string {
  return parts.map(({ part }) => (part.type === "text-delta" ? part.delta : "")).join("");
}

/** Everything that arrives, and the final error. */
export async function collectParts(
  parts: AsyncIterable<NumberedPart>,
): Promise<{ parts: NumberedPart[]; error?: unknown }> {
  const received: NumberedPart[] = [];
  try {
    for await (const part of parts) received.push(part);
    return { parts: received };
  } catch (error) {
    return { parts: received, error };
  }
}
