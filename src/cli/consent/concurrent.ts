import type { BegunConnection } from "#client/credentials/credentials";
import { clean } from "#protocol/clean";
import { formatTimeLeft } from "#ui/text/words";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { beginConnections, type ConnectedService, completeConsent } from "./connection.ts";
import { showWaitLine, type WaitingLine } from "./waiting-line.ts";

/** The result of each service, in the order they were named. */
export type ConnectResult = PromiseSettledResult<ConnectedService>;

/**
 * Connects several services at the same time: starts all authorizations, prints all links, and waits for all. A status
 * line shows the open ones. Calls `settled` for each that ends.
 */
export async function connectConcurrently(
  kay: Kay,
  link: BackendHandle,
  services: string[],
  { site, settled }: { site?: string; settled(index: number, result: ConnectResult): void },
): Promise<ConnectResult[]> {
  const attempts = await beginConnections(kay, link, services, site);
  const open = new Set(attempts);
  const board = showBoard(kay, link, open);
  try {
    return await Promise.all(
      attempts.map(async (attempt, index) => {
        const work = completeConsent(kay, link, attempt, board);
        const [result] = (await Promise.allSettled([work])) as [ConnectResult];
        open.delete(attempt);
        if (!kay.signal.aborted) settled(index, result);
        return result;
      }),
    );
  } finally {
    board.end();
  }
}

/** Shows the open authorizations: as a redrawn line on a terminal, once elsewhere. */
function showBoard(kay: Kay, link: BackendHandle, open: Set<BegunConnection>): WaitingLine {
  const { stderr } = kay.terminal;
  const first = Math.min(...[...open].map(({ deadline }) => deadline));
  if (!stderr.isTerminal || kay.flags.quiet || kay.flags.json) {
    const minutes = Math.max(1, Math.round((first - kay.clock.now()) / 60_000));
    kay.out.writeProgress(`Waiting for ${open.size} authorizations (${minutes} minutes)…`);
    return { retrying: (message) => kay.out.writeProgress(message), end: () => {} };
  }
  let note = "";
  const format = (help: string) => {
    if (open.size === 0) return null;
    const names = [...open].map(({ response }) => clean(response.service, { lines: false })).join(", ");
    const text = `Waiting for ${names}  ${formatTimeLeft(first - kay.clock.now())} left${note}${help}`;
    return text.slice(0, stderr.columns() - 1);
  };
  const { end } = showWaitLine(kay, format, { link, open: () => [...open], cancel: kay.interrupt });
  return {
    retrying: () => {
      note = " · no answer, retrying";
    },
    end,
  };
}
