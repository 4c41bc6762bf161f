import type { Key } from "./key.ts";
import { type KeyPart, NO_MODIFIERS } from "./key.ts";
import { normalizePaste } from "./paste.ts";

/** A key of one read, and the character that it was sent as, where it was one. */
export type BurstEntry = { key: KeyPart; plain?: string; at: number };

/** When the last read of a paste without brackets came. */
export type Burst = number | null;

/**
 * The keys of one read, with pastes found in it although the terminal did not mark them (case U11):
 *
 * - Several characters with a line break among them are a paste, whole.
 * - A text with nothing but one Enter at its end is typed text and Enter: so does a script write, and so does a paste of a single line end
 *   in any shell. A read that is only `\r` is Enter, always.
 * - What follows a paste within 100 ms is its continuation, since the system hands on a long one in pieces.
 * - More characters at once than anybody types are a paste even in one line.
 *
 * Several characters of one read are marked, with the Enter at their end: no letter of a word is a command of a card.
 */
export function joinBursts(entries: BurstEntry[], burst: Burst, at: number): { keys: Key[]; burst: Burst } {
  const keys: Key[] = [];
  let last: Burst = null;
  for (let from = 0; from < entries.length; ) {
    const run = runFrom(entries, from);
    const goesOn = from === 0 && burst !== null && Math.abs(at - burst) <= CONTINUES_MS;
    const joined = run.length > 1 ? joinRun(run, goesOn) : { keys: run.map(timed), isPaste: goesOn && isText(run[0]) };
    keys.push(...joined.keys);
    last = joined.isPaste ? at : null;
    from += run.length;
  }
  return { keys, burst: entries.length === 0 ? burst : last };
}

const CONTINUES_MS = 100;
const TYPED_AT_ONCE = 200;

/** The plain characters from here on, or the one key that is none. */
function runFrom(entries: BurstEntry[], from: number): BurstEntry[] {
  let to = from;
  while (to < entries.length && entries[to]?.plain !== undefined) to++;
  return entries.slice(from, Math.max(to, from + 1));
}

function joinRun(run: BurstEntry[], goesOn: boolean): { keys: Key[]; isPaste: boolean } {
  const body = run.slice(0, run.length - getEnd(run));
  const hasText = run.some(({ plain }) => !"\r\n\t".includes(plain ?? ""));
  if (goesOn || (hasText && body.some(({ plain }) => plain === "\r" || plain === "\n")))
    return { keys: [getPaste(run)], isPaste: true };
  const text = body.length < TYPED_AT_ONCE ? body.map(timed) : [getPaste(body)];
  const keys = [...text, ...run.slice(body.length, body.length + 1).map(timed)];
  return { keys: isWord(body) ? keys.map((key) => ({ ...key, amid: true })) : keys, isPaste: false };
}

/** More than one character, and not one that is held down. */
function isWord(body: BurstEntry[]): boolean {
  return body.some(({ plain }) => plain !== body[0]?.plain);
}

/** How many of these are one Enter at their end. */
function getEnd(run: BurstEntry[]): number {
  if (run.at(-1)?.plain === "\r") return 1;
  return run.at(-1)?.plain === "\n" && run.at(-2)?.plain === "\r" ? 2 : 0;
}

function isText(entry: BurstEntry | undefined): boolean {
  return entry?.plain !== undefined && entry.plain !== "\r";
}

function getPaste(run: BurstEntry[]): Key {
  return {
    name: "paste",
    text: normalizePaste(run.map(({ plain }) => plain).join("")),
    ...NO_MODIFIERS,
    at: run[0]?.at ?? 0,
  };
}

function timed({ key, at }: BurstEntry): Key {
  return { ...key, at };
}
