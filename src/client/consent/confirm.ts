import { sleepOrThrow, throwIfCancelled } from "#net/sleep";
import type { Connection } from "#protocol/connections";
import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import type { Api } from "../api/api.ts";
import { formatServiceName, isTransientError, POLL_INTERVAL_MS, type WaitOptions } from "./poll.ts";

/** How long after a finished consent the backend may take to show the connection, in milliseconds. */
const PATIENCE_MS = 15_000;

/**
 * Have the backend itself confirm that a service is connected, before anybody is told so; its answer names the account. Faults that pass
 * are waited out.
 *
 * @param options.session_id for a backend that gave no tokens (the guide's legacy way)
 * @throws Problem AUTHORIZATION_FAILED when it is still not connected after 15 s
 */
export async function waitForConfirmation(
  options: Pick<WaitOptions, "clock" | "signal"> & {
    api: Pick<Api, "connections">;
    service: string;
    session_id?: string;
  },
): Promise<Connection> {
  const { api, clock, service, session_id, signal } = options;
  const deadline = clock.now() + PATIENCE_MS;
  let fault: Problem | undefined;
  throwIfCancelled(signal);
  for (;;) {
    try {
      const { connections } = await api.connections({ session_id, signal });
      const connection = connections[service];
      if (connection?.connected) return connection;
      fault = undefined;
    } catch (error) {
      if (!isTransientError(error)) throw error;
      fault = error;
    }
    if (clock.now() >= deadline) throw fault ?? unconfirmed(service);
    await sleepOrThrow(clock, POLL_INTERVAL_MS, signal);
  }
}

function unconfirmed(connected: string): Problem {
  const service = formatServiceName(connected);
  return new Problem(
    "AUTHORIZATION_FAILED",
    `The consent is finished, but the backend does not show ${service} as connected.`,
    {
      hint: `Run \`kay connections\` to look again, or \`kay connect ${quoteShellWord(connected)}\` to try again.`,
    },
  );
}
