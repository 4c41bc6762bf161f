import { type Key, type KeyPart, NO_MODIFIERS } from "./key.ts";
import { decodePaste, normalizePaste, readPasteToken } from "./paste.ts";
import { type Mode, readStringToken, readToken, type Token } from "./token.ts";

/** Converts terminal input into keys. The result does not depend on how reads split the input. */
export type KeyReader = {
  /** Processes one read that arrived at `at`, in ms since 1970. */
  push(bytes: Uint8Array, now: number): Key[];
  /** Returns after how many ms of silence to call {@link KeyReader.flush}; null if no input is incomplete. */
  getWaitMs(): number | null;
  /**
   * Returns the keys of incomplete input after enough silence: a lone ESC, an unclosed paste. A caller with a timer
   * must first let pending reads arrive (`setImmediate`), because a busy process sees its timers before its input.
   */
  flush(now: number): Key[];
};

/** Creates a reader for one terminal. It buffers incomplete input and uses no clock. */
export function createKeyReader(): KeyReader {
  let state: State = { mode: "keys", pending: NOTHING, since: 0, last: 0, pasted: [], pastedSince: 0 };
  let burst: Burst = null;
  let escaped = Number.NEGATIVE_INFINITY;
  return {
    push(bytes, now) {
      const entries: BurstEntry[] = [];
      const isLate = now - escaped < LATE_MS && LATE_REST.test(Buffer.from(bytes).toString("latin1"));
      state = readTokens(state, isLate ? Buffer.concat([LONE_ESC, bytes]) : bytes, now, entries);
      escaped = Number.NEGATIVE_INFINITY;
      const joined = joinBursts(entries, burst, now);
      burst = joined.burst;
      return joined.keys;
    },
    getWaitMs: () => getWait(state),
    flush(now) {
      const wait = getWait(state);
      const silence = now - state.last;
      if (wait === null || (silence >= 0 && silence < wait - EARLY_MS)) return [];
      const keys = flushPending(state);
      if (keys.at(-1)?.name === "escape") escaped = now;
      state = { ...state, mode: "keys", pending: NOTHING, pasted: [] };
      return keys;
    },
  };
}

/** Long enough for an arrow key over a slow connection, and short enough for Escape. */
const ESCAPE_MS = 60;
/** Time for the rest of a sequence, which is dropped after that. */
const SEQUENCE_MS = 500;
const STRING_MS = 1_000;
const PASTE_MS = 2_000;
/** Timers may fire slightly early. */
const EARLY_MS = 5;

/** A rest of a sequence within this time after an Escape belongs to it. Users do not type such a text. */
const LATE_MS = 500;
const LATE_REST = /^(?:O[A-DFH]$|\[200~|\[[<=>?]?[\d;:]*\$?[A-Za-z~]$)/;

const ESC = 0x1b;
const LONE_ESC = Uint8Array.of(ESC);
const NOTHING = new Uint8Array();

/** `pending` holds bytes of an incomplete token; `since` and `last` are when the first and the last of them arrived. */
type State = {
  mode: Mode;
  pending: Uint8Array;
  since: number;
  last: number;
  pasted: Uint8Array[];
  pastedSince: number;
};

const READERS: Record<Mode, (bytes: Uint8Array, from: number) => Token | null> = {
  keys: readToken,
  string: readStringToken,
  paste: readPasteToken,
};

/** Reads all complete tokens and adds their keys to `entries`. */
function readTokens(state: State, bytes: Uint8Array, now: number, entries: BurstEntry[]): State {
  const old = state.pending.length;
  const data = old > 0 ? Buffer.concat([state.pending, bytes]) : bytes;
  let { mode, pasted, pastedSince } = state;
  let from = 0;
  for (;;) {
    const token = from < data.length ? READERS[mode](data, from) : null;
    if (!token) break;
    const came = from < old ? state.since : now;
    if (token.piece) pasted.push(token.piece);
    if (mode === "paste" && token.mode === "keys") entries.push(...toPasteEntries(pasted, pastedSince));
    if (token.mode === "paste") [pasted, pastedSince] = [[], came];
    if (token.key) entries.push({ key: token.key, plain: token.plain, at: came });
    mode = token.mode ?? mode;
    from += token.length;
  }
  const since = from < old ? state.since : now;
  return { mode, pending: Uint8Array.from(data.subarray(from)), since, last: now, pasted, pastedSince };
}

function toPasteEntries(pasted: Uint8Array[], now: number): BurstEntry[] {
  const text = decodePaste(pasted);
  return text === "" ? [] : [{ key: { name: "paste", text, ...NO_MODIFIERS }, at: now }];
}

function getWait({ mode, pending }: State): number | null {
  if (mode === "paste") return PASTE_MS;
  if (mode === "string") return STRING_MS;
  if (pending.length === 0) return null;
  return pending[0] === ESC && pending.length <= 2 && pending[1] !== 0x5b ? ESCAPE_MS : SEQUENCE_MS;
}

function flushPending({ mode, pending, since, pasted, pastedSince }: State): Key[] {
  if (mode === "string") return [];
  if (mode === "paste") return toPasteEntries(pasted, pastedSince).map(({ key, at }) => ({ ...key, at }));
  return toPartialKeys(pending).map((key) => ({ ...key, at: since }));
}

/**
 * ESC alone is the Escape key; ESC and the first character of a longer sequence are that character with Alt. Longer
 * rests are not keys.
 */
function toPartialKeys(pending: Uint8Array): KeyPart[] {
  const [first, second = 0] = pending;
  if (first !== ESC) return [];
  if (second === ESC || pending.length === 1)
    return [{ name: "escape", text: "", ...NO_MODIFIERS }, ...toPartialKeys(pending.subarray(1))];
  if (pending.length > 2 || second >= 0x7f) return [];
  return [{ name: "text", text: String.fromCharCode(second), ...NO_MODIFIERS, alt: true }];
}

/** A key of one read, and the character it was sent as, if any. */
type BurstEntry = { key: KeyPart; plain?: string; at: number };

/** When the last read of an unbracketed paste arrived, in ms since 1970. */
type Burst = number | null;

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
function joinBursts(entries: BurstEntry[], burst: Burst, now: number): { keys: Key[]; burst: Burst } {
  const keys: Key[] = [];
  let last: Burst = null;
  for (let from = 0; from < entries.length; ) {
    const run = takeRun(entries, from);
    const continues = from === 0 && burst !== null && Math.abs(now - burst) <= CONTINUES_MS;
    const joined =
      run.length > 1 ? joinRun(run, continues) : { keys: run.map(withTime), isPaste: continues && isText(run[0]) };
    keys.push(...joined.keys);
    last = joined.isPaste ? now : null;
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
