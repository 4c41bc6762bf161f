import type { Incoming, OpenStream, Outgoing, Send } from "#net/ports";
import { LOCAL_SECRET_HEADER } from "#protocol/embedded";
import { tryParseJson } from "#protocol/json";
import { hideSecrets, REDACTED } from "#protocol/redact";

/**
 * Hides the secrets of a request in its answer, so that a backend or proxy that repeats them cannot put a token into a
 * terminal, a script's output, or a bug report.
 */
export function hideSecretsInAnswers(send: Send): Send {
  return async (request) => {
    const answer = await send(request);
    return { ...answer, body: hideSecrets(answer.body, listSecrets(request, answer)) };
  };
}

/** Adds the secrets of a request to its stream, for the reader to hide. */
export function findSecretsOfStreams(open: OpenStream): OpenStream {
  return async (request) => {
    const answer = await open(request);
    return { ...answer, secrets: listSecrets(request, answer) };
  };
}

/** Secret fields of a request. A successful answer may contain them, because the request asks for them. */
const SECRET_FIELDS = ["refresh_token", "session_id", "code_verifier", "confirmation_token"];

/** Shorter values are not secrets, and could be parts of words. */
const SHORTEST = 16;

function listSecrets(
  { headers = {}, body }: Pick<Outgoing, "headers" | "body">,
  { status }: Pick<Incoming, "status">,
): string[] {
  const request = status < 400 ? {} : Object(tryParseJson(body ?? ""));
  const fields = SECRET_FIELDS.map((name) => (request as Record<string, unknown>)[name]);
  const token = headers.Authorization?.replace(/^Bearer /, "");
  return [token, headers[LOCAL_SECRET_HEADER], ...fields].filter(
    // IDs of conversations are public.
    (value): value is string => typeof value === "string" && value.length >= SHORTEST && !value.startsWith("session_"),
  );
}

/** A part of a stream. Of these, only pieces of text have an `id` and a `delta`. */
type Part = { type: string; id?: unknown; delta?: unknown };

/**
 * Hides secrets that a stream repeats in pieces: within one text, across several, and around parts of other kinds.
 * Holds back a possible beginning of a secret until the next part.
 */
export function createPartHider<T extends Part>(secrets: string[] = []): { take(part: T): T[]; end(): T[] } {
  const longest = Math.max(0, ...secrets.map(({ length }) => length));
  /** The shown end of each text, as received. */
  const ends = new Map<unknown, string>();
  let last: T | undefined;
  let [visible, rest] = ["", ""];
  const show = (raw: string) => {
    const all = visible + raw;
    visible = all.slice(Math.max(0, all.length - longest));
    ends.set(last?.id, visible);
  };
  const flush = (): T[] => {
    const text = rest;
    rest = "";
    if (!last || text === "") return [];
    const delta = countBegun(visible + text, secrets) > MOST_SHOWN ? REDACTED : text;
    show(text);
    return [{ ...last, delta }];
  };
  const read = (piece: string): string => {
    const all = visible + rest + piece;
    let [text, index] = ["", visible.length];
    for (let next = findSecret(all, secrets, index); next; next = findSecret(all, secrets, index)) {
      text += all.slice(index, Math.max(index, next.from)) + REDACTED;
      index = next.to;
    }
    const count = countBegun(all, secrets);
    const end = count < FEW ? all.length : Math.max(index, all.length - count);
    rest = all.slice(end);
    show(all.slice(visible.length, end));
    return text + all.slice(index, end);
  };
  return {
    take(part) {
      const { type, id, delta } = part;
      if (typeof delta !== "string" || !type.endsWith("-delta")) return [...flush(), part];
      const earlierParts = last && (last.type !== type || last.id !== id) ? flush() : [];
      if (earlierParts.length > 0 || last?.id !== id) visible = ends.get(id) ?? visible;
      last = part;
      return [...earlierParts, { ...part, delta: read(delta) }];
    },
    end: flush,
  };
}

/** Maximum number of shown characters of a secret, and minimum length of a beginning that is held back. */
const MOST_SHOWN = 12;
const FEW = 3;

/** Finds the first secret that ends after a position. */
function findSecret(text: string, secrets: string[], start: number): { from: number; to: number } | undefined {
  return secrets
    .map((secret) => ({ secret, from: text.indexOf(secret, Math.max(0, start - secret.length + 1)) }))
    .filter(({ from }) => from >= 0)
    .map(({ secret, from }) => ({ from, to: from + secret.length }))
    .sort((a, b) => a.from - b.from)[0];
}

/** Returns how many characters at the end of a text may be the beginning of a secret. */
function countBegun(text: string, secrets: string[]): number {
  const count = (secret: string) => {
    let length = Math.min(text.length, secret.length - 1);
    while (length > 0 && !text.endsWith(secret.slice(0, length))) length--;
    return length;
  };
  return Math.max(0, ...secrets.map(count));
}
