import { cancelledProblem } from "./faults.ts";
import type { HandleElicitation } from "./types.ts";

/** Milliseconds after which whoever waits for a server to start is told so. */
const QUIET_MS = 3_000;

/** A link that is being opened, or is open. */
export type OpeningClient<Open> = {
  opening: Promise<Open>;
  open?: Open /** Ends the opening. */;
  stop: AbortController;
};

type Waiting = { title: string; signal?: AbortSignal; log?(words: string): void; left(): void };

/**
 * Wait for a link. A program may have to be downloaded before it starts, so a person is told what takes so long.
 *
 * @param waiting `left` is called when `signal` ends the wait before the link is open
 * @throws Problem CANCELLED, and why it could not be opened
 */
export async function waitForClient<Open>({ opening, open }: OpeningClient<Open>, waiting: Waiting): Promise<Open> {
  if (open) return await opening;
  const { title, signal, log, left } = waiting;
  const timer = setTimeout(
    () => log?.(`Waiting for ${title} to start; the first time it may have to be downloaded.`),
    QUIET_MS,
  );
  const gone = Promise.withResolvers<never>();
  const leave = () => {
    left();
    gone.reject(cancelledProblem(title, signal?.reason));
  };
  if (signal?.aborted) leave();
  signal?.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([opening, gone.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}

/** Links of one key beside each other. */
const MOST_LINKS = 4;

/** How much a link does: calls under way, and questions to a person that are open. */
export type LinkLoad = { running: number; asking: number };

/**
 * The key of a link for a call that a person may be asked about. A question of the older protocol does not say which call it belongs to. On the
 * network each such call has a link to itself therefore; a program is started once more only while one of its questions is open.
 */
export function chooseConnectionKey(
  links: ReadonlyMap<string, LinkLoad>,
  key: string,
  { shared }: { shared: boolean },
): string {
  const keys = Array.from({ length: MOST_LINKS }, (_, index) => (index === 0 ? key : `${key}#${index + 1}`));
  const isFree = ({ running, asking }: LinkLoad) => (shared ? asking : running) === 0;
  return (
    keys.find((one) => {
      const link = links.get(one);
      return !link || isFree(link);
    }) ?? key
  );
}

/** Whether a key is that of a link, or of one beside it. */
export function isKeyOf(key: string, one: string): boolean {
  return one === key || one.startsWith(`${key}#`);
}

/** Notes while a person is asked over a link. */
export function countQuestions(link: LinkLoad, ask: HandleElicitation): HandleElicitation {
  return async (...question) => {
    link.asking++;
    try {
      return await ask(...question);
    } finally {
      link.asking--;
    }
  };
}
