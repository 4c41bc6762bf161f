import { cancelledProblem } from "#backend/services/mcp/link-problems";

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
