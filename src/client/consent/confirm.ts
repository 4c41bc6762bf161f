import { sleepOrThrow, throwIfCancelled } from "#net/retry-after";
import type { Connection } from "#protocol/connections";
import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import type { Api } from "../api/api.ts";
import { formatServiceName, isTransientError, POLL_INTERVAL_MS, type WaitOptions } from "./poll.ts";

/** How long the backend may take to show a completed connection, in ms. */
const CONFIRM_LIMIT_MS = 15_000;

/**
 * Waits until the backend confirms that a service is connected, and returns the connection with its account. Retries
 * after temporary faults.
 *
 * @param options.session_id for a backend that returned no tokens
 * @throws Problem AUTHORIZATION_FAILED when it is not connected after 15 s
 */
export async function waitForConfirmation(
  options: Pick<WaitOptions, "clock" | "signal"> & {
    api: Pick<Api, "connections">;
    service: string;
    session_id?: string;
  },
): Promise<Connection> {
  const { api, clock, service, session_id, signal } = options;
  const deadline = clock.now() + CONFIRM_LIMIT_MS;
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
    if (clock.now() >= deadline) throw fault ?? unconfirmedProblem(service);
    await sleepOrThrow(clock, POLL_INTERVAL_MS, signal);
  }
}

function unconfirmedProblem(connected: string): Problem {
  const service = formatServiceName(connected);
  return new Problem(
    "AUTHORIZATION_FAILED",
    `Consent was given, but the backend does not show ${service} as connected.`,
    {
      hint: `Run \`kay connections\` to check again, or \`kay connect ${quoteShellWord(connected)}\` to try again.`,
    },
  );
}
