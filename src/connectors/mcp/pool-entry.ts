import { cancelledProblem } from "../http/errors.ts";
import type { HandleElicitation } from "./types.ts";

/** Time in ms after which kay reports that a server is still starting. */
const START_NOTICE_MS = 3_000;

/** A connection that is opening or open. */
export type OpeningClient<Open> = {
  opening: Promise<Open>;
  open?: Open;
  /** Aborts the opening. */
  stop: AbortController;
};

type Waiting = { title: string; signal?: AbortSignal; log?(words: string): void; left(): void };

/**
 * Waits for a connection. If a program takes long to start, the user learns that it may be downloading.
 *
 * @param options `left` is called when `signal` ends the wait before the connection is open
 * @throws Problem CANCELLED, and the error of opening it
 */
export async function waitForClient<Open>({ opening, open }: OpeningClient<Open>, options: Waiting): Promise<Open> {
  if (open) return await opening;
  const { title, signal, log, left } = options;
  const timer = setTimeout(
    () => log?.(`Waiting for ${title} to start; it may have to be downloaded the first time.`),
    START_NOTICE_MS,
  );
  const departure = Promise.withResolvers<never>();
  const leave = () => {
    left();
    departure.reject(cancelledProblem(title, signal?.reason));
  };
  if (signal?.aborted) leave();
  signal?.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([opening, departure.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}

/** Maximum number of parallel connections with one key. */
const MAX_CONNECTIONS = 4;

/** The load of a connection: running calls and open questions. */
export type ConnectionLoad = { running: number; asking: number };

/**
 * Chooses the connection for a call that may ask the user. The older protocol does not say which call a question
 * belongs to, so each such call gets a separate network connection. A program is started again only while one of its
 * questions is open.
 */
export function chooseConnectionKey(
  loads: ReadonlyMap<string, ConnectionLoad>,
  key: string,
  { shared }: { shared: boolean },
): string {
  const keys = Array.from({ length: MAX_CONNECTIONS }, (_, index) => (index === 0 ? key : `${key}#${index + 1}`));
  const isFree = ({ running, asking }: ConnectionLoad) => (shared ? asking : running) === 0;
  return (
    keys.find((key) => {
      const load = loads.get(key);
      return !load || isFree(load);
    }) ?? key
  );
}

/** Returns whether a connection key is `key` or one of its parallel connections. */
export function belongsToKey(key: string, candidate: string): boolean {
  return candidate === key || candidate.startsWith(`${key}#`);
}

/** Counts the open questions of a connection. */
export function countQuestions(load: ConnectionLoad, ask: HandleElicitation): HandleElicitation {
  return async (...question) => {
    load.asking++;
    try {
      return await ask(...question);
    } finally {
      load.asking--;
    }
  };
}
