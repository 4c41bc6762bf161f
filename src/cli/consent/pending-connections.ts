import type { BegunConnection } from "#client/credentials/credentials";
import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { type ConnectedService, waitForConsent } from "./connection.ts";

/** Stores a pending connection for `--poll`, encrypted with the sign-in, and removes expired ones. */
export async function savePendingConnection(kay: Kay, link: BackendHandle, attempt: BegunConnection): Promise<void> {
  await link.credentials.update(link.origin, (signIn) => {
    const alive = (signIn.begun ?? []).filter(({ deadline }) => deadline > kay.clock.now());
    return { ...signIn, begun: [...alive, attempt] };
  });
}

/**
 * Finishes a connection that `--no-wait` began in another process: waits for the consent, at most until the link
 * expires.
 */
export async function finishPendingConnection(
  kay: Kay,
  link: BackendHandle,
  service: string,
  state: string,
): Promise<ConnectedService> {
  const { signIn } = await link.credentials.read(link.origin);
  const pending = signIn.begun?.find(({ response }) => response.state === state);
  if (!pending) {
    throw new Problem("STATE_INVALID", "No pending connection matches that state. It may already be finished.", {
      hint: `Run \`kay connect ${quoteShellWord(service)}\` for a fresh link.`,
    });
  }
  try {
    return await waitForConsent(kay, link, pending);
  } finally {
    if (!kay.signal.aborted) await forget(link, state);
  }
}

async function forget(link: BackendHandle, state: string): Promise<void> {
  await link.credentials.update(link.origin, (signIn) => {
    const rest = (signIn.begun ?? []).filter(({ response }) => response.state !== state);
    const { begun: _, ...others } = signIn;
    return rest.length > 0 ? { ...others, begun: rest } : others;
  });
}
