import { cleanLine } from "#protocol/clean";
import { findKnownTerminal } from "./known-terminals.ts";

/** Most characters of a notification. */
const LONGEST = 120;

/**
 * Formats a notification: the bell, and on terminals that have them a desktop notification with a line of text.
 * Multiplexers pass on only the bell.
 */
export function formatNotification(env: Record<string, string | undefined>, text: string): string {
  const isInside = Boolean(env.TMUX || env.STY || env.ZELLIJ);
  const { notifies } = findKnownTerminal(env);
  const line = cleanLine(text, LONGEST).replaceAll(";", ",");
  if (isInside || notifies === undefined) return BELL;
  return notifies === "osc 9" ? `${BELL}\x1b]9;${line}\x1b\\` : `${BELL}\x1b]777;notify;kay;${line}\x1b\\`;
}

const BELL = "\x07";

/** Formats the sequence that puts a text into the clipboard (OSC 52). A terminal does not say whether it did. */
export function formatClipboard(text: string): string {
  return `\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`;
}
