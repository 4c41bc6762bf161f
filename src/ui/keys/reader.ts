import { type Burst, type BurstEntry, joinBursts } from "./burst.ts";
import type { Key } from "./key.ts";
import { type KeyPart, NO_MODIFIERS } from "./key.ts";
import { decodePaste, readPasteToken } from "./paste.ts";
import { type Mode, readStringToken, readToken, type Token } from "./token.ts";

/** Converts terminal input into keys. The result does not depend on how reads split the input. */
export type KeyReader = {
  /** Processes one read that arrived at `at`, in ms since 1970. */
  push(bytes: Uint8Array, at: number): Key[];
  /** Returns after how many ms of silence to call {@link KeyReader.flush}; null if no input is incomplete. */
  getWaitMs(): number | null;
  /**
   * Returns the keys of incomplete input after enough silence: a lone ESC, an unclosed paste. A caller with a timer
   * must first let pending reads arrive (`setImmediate`), because a busy process sees its timers before its input.
   */
  flush(at: number): Key[];
};

/** Creates a reader for one terminal. It buffers incomplete input and uses no clock. */
export function createKeyReader(): KeyReader {
  let state: State = { mode: "keys", pending: NOTHING, since: 0, last: 0, pasted: [], pastedSince: 0 };
  let burst: Burst = null;
  let escaped = Number.NEGATIVE_INFINITY;
  return {
    push(bytes, at) {
      const entries: BurstEntry[] = [];
      const isLate = at - escaped < LATE_MS && LATE_REST.test(Buffer.from(bytes).toString("latin1"));
      state = readTokens(state, isLate ? Buffer.concat([LONE_ESC, bytes]) : bytes, at, entries);
      escaped = Number.NEGATIVE_INFINITY;
      const joined = joinBursts(entries, burst, at);
      burst = joined.burst;
      return joined.keys;
    },
    getWaitMs: () => getWait(state),
    flush(at) {
      const wait = getWait(state);
      const silence = at - state.last;
      if (wait === null || (silence >= 0 && silence < wait - EARLY_MS)) return [];
      const keys = flushPending(state);
      if (keys.at(-1)?.name === "escape") escaped = at;
      state = { ...state, mode: "keys", pending: NOTHING, pasted: [] };
      return keys;
    },
  };
}

/** 60 ms let an arrow key arrive whole over a slow connection, and Escape still feels immediate. */
const ESCAPE_MS = 60;
/** Users do not type the start of a sequence: the rest arrives, or it is dropped. */
const SEQUENCE_MS = 500;
const STRING_MS = 1_000;
const PASTE_MS = 2_000;
/** Timers may fire slightly early. */
const EARLY_MS = 5;

/**
 * A read that is only the rest of a sequence, soon after an Escape, belongs to that ESC, which arrived too early. Users
 * do not type such a text.
 */
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
function readTokens(state: State, bytes: Uint8Array, at: number, entries: BurstEntry[]): State {
  const old = state.pending.length;
  const data = old > 0 ? Buffer.concat([state.pending, bytes]) : bytes;
  let { mode, pasted, pastedSince } = state;
  let from = 0;
  for (;;) {
    const token = from < data.length ? READERS[mode](data, from) : null;
    if (!token) break;
    const came = from < old ? state.since : at;
    if (token.piece) pasted.push(token.piece);
    if (mode === "paste" && token.mode === "keys") entries.push(...toPasteEntries(pasted, pastedSince));
    if (token.mode === "paste") [pasted, pastedSince] = [[], came];
    if (token.key) entries.push({ key: token.key, plain: token.plain, at: came });
    mode = token.mode ?? mode;
    from += token.length;
  }
  const since = from < old ? state.since : at;
  return { mode, pending: Uint8Array.from(data.subarray(from)), since, last: at, pasted, pastedSince };
}

function toPasteEntries(pasted: Uint8Array[], at: number): BurstEntry[] {
  const text = decodePaste(pasted);
  return text === "" ? [] : [{ key: { name: "paste", text, ...NO_MODIFIERS }, at }];
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
