import { Problem } from "#protocol/errors";
import { formatTimeLeft } from "#ui/text/words";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { canPrompt } from "../prompt/question.ts";
import { readPromptKeys } from "../terminal/keys.ts";
import { repeatEverySecond } from "../terminal/repeat.ts";
import { openLinks } from "./open-links.ts";
import { explainPaste, takePastedAddress, type WaitingConnection } from "./pasted-address.ts";

/** A status line about a pending consent. */
export type WaitingLine = { retrying(message: string): void; end(): void };

/** Connections that a browser must finish, and their backend. */
export type ConsentWait = {
  link: Pick<BackendHandle, "baseUrl">;
  /** Returns the open connections. */
  open(): WaitingConnection[];
  /** Cancels all connections, at Escape. */
  cancel(): void;
};

/**
 * Shows that kay waits for an authorization, with the time left: as a redrawn line on a terminal, once elsewhere and in
 * plain mode.
 */
export function showWaiting(kay: Kay, wait: ConsentWait, deadline: number): WaitingLine {
  const { stderr } = kay.terminal;
  if (!stderr.isTerminal || kay.flags.quiet || kay.flags.json || kay.flags.plain) {
    const minutes = Math.max(1, Math.round((deadline - kay.clock.now()) / 60_000));
    kay.out.writeProgress(`Waiting for authorization in your browser (${minutes} minutes left)…`);
    const { end } = showWaitLine(kay, () => null, wait);
    return { retrying: (message) => kay.out.writeProgress(message), end };
  }
  let note = "";
  const { end } = showWaitLine(kay, (help) => formatLine(kay, deadline, help, note), wait);
  return {
    retrying: () => {
      note = "no answer, retrying";
    },
    end,
  };
}

/** A line at the bottom of the terminal. */
type WaitLine = { redraw(): void; end(): void };

/**
 * Shows a line that is redrawn every second while kay waits for a consent. `o` opens the links, `c` copies them (OSC
 * 52), `q` shows QR codes, Escape cancels, and a pasted address finishes a consent.
 *
 * @param format formats the line with its keys, which are "" if this terminal takes none; null if it is not shown
 */
export function showWaitLine(kay: Kay, format: (help: string) => string | null, wait: ConsentWait): WaitLine {
  const { stderr } = kay.terminal;
  const controller = new AbortController();
  const hasKeys = canPrompt(kay);
  const redraw = () => {
    const text = controller.signal.aborted ? null : format(hasKeys && !kay.flags.plain ? KEYS : "");
    if (text !== null && stderr.isTerminal) kay.out.setStatusLine(text);
  };
  const releaseKeys = hasKeys ? takeInput(kay, wait, controller.signal) : () => {};
  void repeatEverySecond(kay.clock, redraw, controller.signal);
  return {
    redraw,
    end: () => {
      if (controller.signal.aborted) return;
      controller.abort();
      releaseKeys();
      kay.out.setStatusLine(null);
    },
  };
}

/** Joins links to one text for the clipboard, with its name. */
export function joinLinks(urls: string[]): [what: string, text: string] {
  return [urls.length === 1 ? "the link" : `${urls.length} links`, urls.join("\n")];
}

const KEYS = " · o open  c copy  q QR  esc cancel";

/** A paste is complete after this time without a key, in ms. */
const SILENCE_MS = 200;

/** Maximum length of a paste, in characters. */
const MAX_PASTE = 20_000;

function takeInput(kay: Kay, wait: ConsentWait, signal: AbortSignal): () => void {
  if (kay.flags.plain) {
    void takeLines(kay, wait, signal);
    return () => {};
  }
  let pasted = "";
  let silence = new AbortController();
  const take = () => {
    silence.abort();
    const text = pasted;
    pasted = "";
    if (text !== "" && !signal.aborted) void takeAddress(kay, wait, text);
  };
  return readPromptKeys(kay, (key) => {
    const isText = key.name === "paste" || (key.name === "text" && !key.ctrl && !key.alt);
    if (isText && (key.name === "paste" || key.amid || pasted !== "")) {
      pasted = (pasted + key.text).slice(0, MAX_PASTE);
      silence.abort();
      silence = new AbortController();
      void kay.clock.sleep(SILENCE_MS, silence.signal).then(take, () => {});
    } else if (key.name === "enter") take();
    else if (key.name === "escape") wait.cancel();
    else if (isText) runLinkKey(kay, key.text.toLowerCase(), getUrls(wait));
  });
}

async function takeLines(kay: Kay, wait: ConsentWait, signal: AbortSignal): Promise<void> {
  // Other lines belong to the next prompt.
  if (explainPaste(kay, getUrls(wait)).length === 0) return;
  while (!signal.aborted) {
    const text = await kay.terminal.stdin.line(AbortSignal.any([kay.signal, signal]));
    if (text === null) return;
    if (text.trim() !== "" && !signal.aborted) await takeAddress(kay, wait, text);
  }
}

async function takeAddress(kay: Kay, { link, open }: ConsentWait, text: string): Promise<void> {
  try {
    await takePastedAddress(kay, link, open(), text);
    kay.out.writeProgress("Address accepted.");
  } catch (error) {
    if (kay.signal.aborted) return;
    const message = error instanceof Problem ? error.message : "The address was not accepted. Paste it again.";
    kay.out.writeProgress(`${kay.out.paint("red", "✗", "stderr")} ${message}`);
  }
}

function runLinkKey(kay: Kay, key: string, urls: string[]): void {
  if (key === "o") void openLinks(kay, urls);
  if (key === "c") void kay.copy(...joinLinks(urls), kay.terminal.stderr.write).then(kay.out.writeProgress);
  if (key === "q")
    void import("./qr.ts").then(async ({ formatQr }) => {
      for (const url of urls) kay.out.writeProgress(await formatQr(url, kay.terminal.stderr));
    });
}

function getUrls({ open }: ConsentWait): string[] {
  return open().map(({ response }) => response.authorization_url);
}

function formatLine(kay: Kay, deadline: number, help: string, note: string): string {
  const time = `${formatTimeLeft(deadline - kay.clock.now())} left`;
  const width = kay.terminal.stderr.columns() - 1;
  const full = `Waiting for authorization… ${time}${note ? ` · ${note}` : ""}`;
  if (full.length + help.length <= width) return full + kay.out.paint("dim", help, "stderr");
  return (full.length <= width ? full : `Waiting… ${time}`).slice(0, width);
}
