import type { Incoming, OpenStream, Outgoing, Send } from "#net/ports";
import { LOCAL_SECRET_HEADER } from "#protocol/embedded";
import { tryParseJson } from "#protocol/json";
import { REDACTED } from "#protocol/redact";

/**
 * Hides the secrets of a request in its answer. A backend or a proxy that repeats what it got must not put a token into
 * a terminal, a script's output or a bug report.
 */
export function hideSecretsInAnswers(send: Send): Send {
  return async (request) => {
    const answer = await send(request);
    return { ...answer, body: hide(answer.body, listSecrets(request, answer)) };
  };
}

/** Names the secrets of a request in its answer that is read as it arrives, for the reader to hide. */
export function findSecretsOfStreams(open: OpenStream): OpenStream {
  return async (request) => {
    const answer = await open(request);
    return { ...answer, secrets: listSecrets(request, answer) };
  };
}

/** Fields of a request that are secrets. Answers that succeed may hold them: they are what was asked for. */
const SECRET_FIELDS = ["refresh_token", "session_id", "code_verifier", "confirmation_token"];

/** Shorter values are not secrets, and could be parts of words. */
const SHORTEST = 16;

function listSecrets(
  { headers = {}, body }: Pick<Outgoing, "headers" | "body">,
  { status }: Pick<Incoming, "status">,
): string[] {
  const sent = status < 400 ? {} : Object(tryParseJson(body ?? ""));
  const fields = SECRET_FIELDS.map((name) => (sent as Record<string, unknown>)[name]);
  const token = headers.Authorization?.replace(/^Bearer /, "");
  return [token, headers[LOCAL_SECRET_HEADER], ...fields].filter(
    // IDs of conversations are public.
    (one): one is string => typeof one === "string" && one.length >= SHORTEST && !one.startsWith("session_"),
  );
}

/** Hides secrets in a text, also where JSON writes their characters as `\\u0041`. */
export function hide(text: string, secrets: string[] = []): string {
  return secrets.reduce(
    (rest, secret) =>
      (rest.includes("\\u") ? rest.replace(toEscapedPattern(secret), REDACTED) : rest).replaceAll(secret, REDACTED),
    text,
  );
}

/** Secrets are ASCII, so each character is one escape. */
function toEscapedPattern(secret: string): RegExp {
  const forms = [...secret].map((one) => {
    const code = one.charCodeAt(0).toString(16).padStart(2, "0");
    return `(?:\\x${code}|\\\\u00${code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  });
  return new RegExp(forms.join(""), "g");
}

/** Hides secrets in a text that arrives in pieces. `take` keeps back what may be the beginning of one, until `end`. */
export function createPieceHider(secrets: string[] = []): { take(piece: string): string; end(): string } {
  let rest = "";
  // The first characters of a secret are shown, so that the end of a word is not late.
  let before = "";
  const show = (text: string) => {
    before = (before + text).slice(-SHOWN);
    return text;
  };
  return {
    take(piece) {
      const whole = hide(before + rest + piece, secrets);
      const text = whole.slice(countSame(whole, before));
      const begun = Math.max(0, ...secrets.map((secret) => countBegun(before + text, secret)));
      const end = Math.max(0, text.length - begun);
      rest = text.slice(end);
      return show(text.slice(0, end));
    },
    end() {
      const last = rest;
      rest = "";
      return show(last);
    },
  };
}

/** Returns how many characters two texts share at their beginning. */
function countSame(text: string, other: string): number {
  let length = 0;
  while (length < other.length && text[length] === other[length]) length++;
  return length;
}

const SHOWN = 2;

/** Returns how many characters at the end of a text may be the beginning of a secret; 0 for too few. */
function countBegun(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > SHOWN; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
