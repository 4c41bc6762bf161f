import { formatTimeLeft } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { openLink } from "./open-links.ts";

/** One authorization that is waited for. */
export type PendingAuthorization = { url: string; deadline: number };

/** The line that says so. */
export type WaitingLine = { retrying(message: string): void; end(): void };

/**
 * Show that an authorization is waited for, with the time left and the keys that help: `o` opens the link, `c` copies it (OSC 52), `q`
 * shows a QR code. On a terminal one line is redrawn; elsewhere, and
 * where nothing may be redrawn, it is said once.
 */
export async function showWaiting(kay: Kay, awaited: PendingAuthorization): Promise<WaitingLine> {
  const { stderr } = kay.terminal;
  const { out } = kay;
  if (!stderr.isTerminal || kay.flags.quiet || kay.flags.json || kay.flags.plain) {
    const minutes = Math.max(1, Math.round((awaited.deadline - kay.clock.now()) / 60_000));
    kay.out.writeProgress(`Waiting for authorization in your browser (${minutes} minutes left)…`);
    return { retrying: (message) => kay.out.writeProgress(message), end: () => {} };
  }
  const qr = await import("uqr");
  let note = "";
  const wait = showWaitLine(kay, (hasKeys) => line(kay, awaited, hasKeys, note), {
    o: () => void openLink(kay, awaited.url),
    c: () => {
      stderr.write(`\x1b]52;c;${Buffer.from(awaited.url).toString("base64")}\x07`);
      out.writeProgress("Copied the link to the clipboard (if your terminal supports it).");
    },
    q: () => out.writeProgress(qr.renderUnicodeCompact(awaited.url)),
  });
  return {
    retrying: () => {
      note = "no answer, retrying";
    },
    end: wait.end,
  };
}

/** A line at the bottom of the terminal. */
type WaitLine = { redraw(): void; end(): void };

/**
 * Shows a line that is redrawn every second while kay waits for a consent.
 *
 * @param format the line, or null where it is not shown
 * @param keys what a key does, if this terminal takes keys
 */
export function showWaitLine(
  kay: Kay,
  format: (hasKeys: boolean) => string | null,
  keys: Record<string, () => void>,
): WaitLine {
  const { stderr, stdin } = kay.terminal;
  const over = new AbortController();
  const hasKeys = stdin.isTerminal && kay.flags.input;
  const redraw = () => {
    const text = over.signal.aborted ? null : format(hasKeys);
    if (text !== null && stderr.isTerminal) kay.out.setStatusLine(text);
  };
  const actions = new Map(Object.entries(keys));
  const releaseKeys = hasKeys ? stdin.keys((key) => actions.get(key)?.()) : () => {};
  void repeatEverySecond(kay, redraw, over.signal);
  return {
    redraw,
    end: () => {
      if (over.signal.aborted) return;
      over.abort();
      releaseKeys();
      kay.out.setStatusLine(null);
    },
  };
}

async function repeatEverySecond(kay: Kay, work: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    work();
    await kay.clock.sleep(1_000, signal).catch(() => {});
  }
}

function line(kay: Kay, awaited: PendingAuthorization, keys: boolean, note: string): string {
  const time = `${formatTimeLeft(awaited.deadline - kay.clock.now())} left`;
  const width = kay.terminal.stderr.columns() - 1;
  const full = `Waiting for authorization… ${time}${note ? ` · ${note}` : ""}`;
  const help = keys ? " · o open  c copy  q QR  Ctrl+C cancel" : "";
  if (full.length + help.length <= width) return full + kay.out.paint("dim", help, "stderr");
  return (full.length <= width ? full : `Waiting… ${time}`).slice(0, width);
}
