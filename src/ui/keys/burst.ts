import type { Key } from "./key.ts";
import { type KeyPart, NO_MODIFIERS } from "./key.ts";
import { normalizePaste } from "./paste.ts";

/** A key of one read, and the character it was sent as, if any. */
export type BurstEntry = { key: KeyPart; plain?: string; at: number };

/** When the last read of an unbracketed paste arrived, in ms since 1970. */
export type Burst = number | null;

/**
 * Returns the keys of one read and detects pastes that the terminal did not mark:
 *
 * - Several characters with a line break among them are one paste.
 * - A text with a single Enter at its end is typed text and Enter, as from a script or a one-line paste into a shell. A
 * read of only `\r` is always Enter.
 * - Characters within 100 ms after a paste continue it, because the system splits long pastes.
 * - More characters at once than anyone types are a paste even in one line.
 *
 * Several characters of one read are marked as `amid`, including the final Enter, so that no letter of a word becomes a
 * command.
 */
export function joinBursts(entries: BurstEntry[], burst: Burst, at: number): { keys: Key[]; burst: Burst } {
  const keys: Key[] = [];
  let last: Burst = null;
  for (let from = 0; from < entries.length; ) {
    const run = takeRun(entries, from);
    const continues = from === 0 && burst !== null && Math.abs(at - burst) <= CONTINUES_MS;
    const joined =
      run.length > 1 ? joinRun(run, continues) : { keys: run.map(withTime), isPaste: continues && isText(run[0]) };
    keys.push(...joined.keys);
    last = joined.isPaste ? at : null;
    from += run.length;
  }
  return { keys, burst: entries.length === 0 ? burst : last };
}

const CONTINUES_MS = 100;
const TYPED_AT_ONCE = 200;

/** Returns the plain characters from an index on, or a single key that is not plain. */
function takeRun(entries: BurstEntry[], from: number): BurstEntry[] {
  let to = from;
  while (to < entries.length && entries[to]?.plain !== undefined) to++;
  return entries.slice(from, Math.max(to, from + 1));
}

function joinRun(run: BurstEntry[], continues: boolean): { keys: Key[]; isPaste: boolean } {
  const body = run.slice(0, run.length - countEnterEntries(run));
  const hasText = run.some(({ plain }) => !"\r\n\t".includes(plain ?? ""));
  if (continues || (hasText && body.some(({ plain }) => plain === "\r" || plain === "\n")))
    return { keys: [toPasteKey(run)], isPaste: true };
  const text = body.length < TYPED_AT_ONCE ? body.map(withTime) : [toPasteKey(body)];
  const keys = [...text, ...run.slice(body.length, body.length + 1).map(withTime)];
  return { keys: hasSeveralCharacters(body) ? keys.map((key) => ({ ...key, amid: true })) : keys, isPaste: false };
}

/** Whether there are several characters that are not repeats of a held key. */
function hasSeveralCharacters(body: BurstEntry[]): boolean {
  return body.some(({ plain }) => plain !== body[0]?.plain);
}

/** Returns how many entries form a single Enter at the end. */
function countEnterEntries(run: BurstEntry[]): number {
  if (run.at(-1)?.plain === "\r") return 1;
  return run.at(-1)?.plain === "\n" && run.at(-2)?.plain === "\r" ? 2 : 0;
}

function isText(entry: BurstEntry | undefined): boolean {
  return entry?.plain !== undefined && entry.plain !== "\r";
}

function toPasteKey(run: BurstEntry[]): Key {
  return {
    name: "paste",
    text: normalizePaste(run.map(({ plain }) => plain).join("")),
    ...NO_MODIFIERS,
    at: run[0]?.at ?? 0,
  };
}

function withTime({ key, at }: BurstEntry): Key {
  return { ...key, at };
}
