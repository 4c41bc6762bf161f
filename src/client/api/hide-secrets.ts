import type { Incoming, OpenStream, Outgoing, Send } from "#net/ports";
import { LOCAL_SECRET_HEADER } from "#protocol/embedded";
import { tryParseJson } from "#protocol/parse-json";
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

/** Does the same for an answer that is read as it arrives, also for a secret that is split between two pieces. */
export function hideSecretsInStreams(open: OpenStream): OpenStream {
  return async (request) => {
    const answer = await open(request);
    const secrets = listSecrets(request, answer);
    return secrets.length === 0 ? answer : { ...answer, body: hideInPieces(answer.body, secrets) };
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

function hide(text: string, secrets: string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
}

async function* hideInPieces(body: AsyncIterable<Uint8Array>, secrets: string[]): AsyncGenerator<Uint8Array> {
  let rest = "";
  for await (const bytes of body) {
    // Secrets are ASCII, and one character for each byte keeps all others.
    const text = hide(rest + Buffer.from(bytes).toString("latin1"), secrets);
    const kept = Math.max(...secrets.map((secret) => countBegun(text, secret)));
    rest = text.slice(text.length - kept);
    if (text.length > kept) yield Buffer.from(text.slice(0, text.length - kept), "latin1");
  }
  if (rest !== "") yield Buffer.from(rest, "latin1");
}

/** Returns how many characters at the end of a text may be the beginning of a secret. */
function countBegun(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
