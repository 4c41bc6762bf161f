const KEPT = 500;
const HIDDEN = /token|secret|code|password|authorization|assertion|ticket|challenge|verifier/i;
const NOT_HIDDEN = new Set(["nextPageToken"]);

/** One request, as `GET /_sandbox/requests` tells it: never a token, a code or a secret. */
export type LoggedRequest = {
  time: string;
  method: string;
  /** With the query. */
  path: string;
  /** JSON as it was, a form as an object, else text; null when there was none. */
  body: unknown;
  /** Who asked, where the token says so. */
  account: string | null;
  status: number;
};

export type RequestLog = ReturnType<typeof createRequestLog>;

/** The last requests of one origin, oldest first. */
export function createRequestLog() {
  let entries: LoggedRequest[] = [];
  return {
    add(entry: LoggedRequest) {
      entries = [...entries.slice(1 - KEPT), entry];
    },
    list: () => entries,
    clear() {
      entries = [];
    },
  };
}

/** The path and query of a request without the secrets of OAuth; the state of an authorization request is one, for its client. */
export function redactPath(address: string): string {
  const url = new URL(address);
  const authorization = url.searchParams.has("client_id");
  for (const name of [...url.searchParams.keys()]) {
    if (isHidden(name) || (authorization && name === "state")) url.searchParams.set(name, "hidden");
  }
  return url.pathname + url.search;
}

/** A request's body for the log. Called with the bytes of a copy of the request. Of files, it has the size only. */
export function redactBody(bytes: Buffer, contentType: string): unknown {
  if (bytes.byteLength === 0) return null;
  if (/^(?:multipart\/|application\/octet-stream|message\/)/i.test(contentType)) return { bytes: bytes.byteLength };
  const text = bytes.toString();
  if (contentType.includes("x-www-form-urlencoded")) return hide(Object.fromEntries(new URLSearchParams(text)));
  try {
    return hide(JSON.parse(text));
  } catch {
    return text.slice(0, 10_000);
  }
}

/** Only the names at the top are OAuth's; deeper ones are the text of issues and pages, which the log is for. */
function hide(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, isHidden(name) ? "hidden" : one]));
}

function isHidden(name: string): boolean {
  return HIDDEN.test(name) && !NOT_HIDDEN.has(name);
}
