import { type Api, type ApiOptions, createApi } from "#client/api";
import type { Clock } from "#client/ports";
import { createSend } from "#client/send";
import type { Problem } from "#protocol/errors";
import { type FakeClock, fakeClock } from "./client-clock.ts";

/** An api that speaks through real sockets to `baseUrl`, on a clock whose waits below five seconds take no time. */
export function apiFor(baseUrl: string, more: Partial<ApiOptions> = {}): { api: Api; clock: FakeClock } {
  const clock = fakeClock({ jump: (ms) => ms < 5_000 });
  return { clock, api: apiOn(more.clock ?? clock, baseUrl, more) };
}

/** The same on a clock of the test's choice. */
export function apiOn(clock: Clock, baseUrl: string, more: Partial<ApiOptions> = {}): Api {
  const send = createSend({ builtin: process.getBuiltinModule, env: {}, clock });
  return createApi({ baseUrl, send, clock, random: (bytes) => new Uint8Array(bytes), version: "0.0.0-test", ...more });
}

/** The Problem a promise ends with. */
export async function problemOf(promise: Promise<unknown>): Promise<Problem> {
  return promise.then(
    (value) => {
      throw new Error(`it should fail, but gave ${JSON.stringify(value)}`);
    },
    (error) => error,
  );
}
