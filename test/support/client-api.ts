import { type Api, createApi } from "#client/api/api";
import type { ApiOptions } from "#client/api/caller";
import { createOpenStream } from "#net/open-stream";
import { createSend, createTransport } from "#net/send";
import type { Problem } from "#protocol/errors";
import { type FakeClock, fakeClock } from "./client-clock.ts";

/**
 * An API client that uses real sockets to `baseUrl`, on a clock whose waits below five seconds take no time, or on
 * `more.clock`.
 */
export function apiFor(baseUrl: string, more: Partial<ApiOptions> = {}): { api: Api; clock: FakeClock } {
  const clock = fakeClock({ jump: (ms) => ms < 5_000 });
  const ways = { builtin: process.getBuiltinModule, env: {}, clock: more.clock ?? clock };
  const [send, openStream] = [
    createSend(ways),
    createOpenStream({ transport: createTransport(ways), clock: ways.clock }),
  ];
  const random = (bytes: number) => new Uint8Array(bytes);
  return { clock, api: createApi({ baseUrl, send, openStream, clock, random, version: "0.0.0-test", ...more }) };
}

/** The Problem a promise ends with. */
export async function catchProblem(promise: Promise<unknown>): Promise<Problem> {
  return promise.then(
    (value) => {
      throw new Error(`it should fail, but gave ${JSON.stringify(value)}`);
    },
    (error) => error,
  );
}
