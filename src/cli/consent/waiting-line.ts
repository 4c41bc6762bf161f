import { formatTimeLeft } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { openLink } from "./open-links.ts";

/** How often the line is redrawn, in ms. */
const REDRAW_MS = 1_000;

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
  const { stderr, stdin } = kay.terminal;
  const { out } = kay;
  if (!stderr.isTerminal || kay.flags.quiet || kay.flags.json || kay.flags.plain) {
    const minutes = Math.max(1, Math.round((awaited.deadline - kay.clock.now()) / 60_000));
    kay.out.writeProgress(`Waiting for authorization in your browser (${minutes} minutes left)…`);
    return { retrying: (message) => kay.out.writeProgress(message), end: () => {} };
  }
  const qr = await import("uqr");
  const ticking = new AbortController();
  const keys = stdin.isTerminal && kay.flags.input;
  let note = "";
  const draw = () => {
    if (!ticking.signal.aborted) out.setStatusLine(line(kay, awaited, keys, note));
  };
  const press = (key: string) => {
    if (key === "c") {
      stderr.write(`\x1b]52;c;${Buffer.from(awaited.url).toString("base64")}\x07`);
      out.writeProgress("Copied the link to the clipboard (if your terminal supports it).");
    } else if (key === "q") out.writeProgress(qr.renderUnicodeCompact(awaited.url));
    else if (key === "o") void openLink(kay, awaited.url);
  };
  const releaseKeys = keys ? stdin.keys(press) : () => {};
  void tick(kay, draw, ticking.signal);
  return {
    retrying: () => {
      note = "no answer, retrying";
    },
    end: () => {
      ticking.abort();
      releaseKeys();
      out.setStatusLine(null);
    },
  };
}

async function tick(kay: Kay, draw: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    draw();
    await kay.clock.sleep(REDRAW_MS, signal).catch(() => {});
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
