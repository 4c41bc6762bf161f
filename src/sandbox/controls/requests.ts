const MAX_ENTRIES = 500;
const HIDDEN = /token|secret|code|password|authorization|assertion|ticket|challenge|verifier/i;
const NOT_HIDDEN = new Set(["nextPageToken"]);

/** One request as `GET /_sandbox/requests` reports it, without tokens, codes or secrets. */
export type LoggedRequest = {
  time: string;
  method: string;
  /** With the query. */
  path: string;
  /** JSON unchanged, a form as an object, otherwise text; null without a body. */
  body: unknown;
  /** The account, if the token identifies one. */
  account: string | null;
  status: number;
};

export type RequestLog = ReturnType<typeof createRequestLog>;

/** The last requests of one origin, oldest first. */
export function createRequestLog() {
  let entries: LoggedRequest[] = [];
  return {
    add(entry: LoggedRequest) {
      entries = [...entries.slice(1 - MAX_ENTRIES), entry];
    },
    list: () => entries,
    clear() {
      entries = [];
    },
  };
}

/**
 * Returns the path and query of a request without OAuth secrets. The state of an authorization request is one, for its
 * client.
 */
export function redactPath(address: string): string {
  const url = new URL(address);
  const authorization = url.searchParams.has("client_id");
  for (const name of [...url.searchParams.keys()]) {
    if (isHidden(name) || (authorization && name === "state")) url.searchParams.set(name, "hidden");
  }
  return url.pathname + url.search;
}

/** Reads a request's body for the log from the bytes of a copy. Files are reduced to their size. */
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

/** Only top-level names are OAuth's; deeper ones are text of issues and pages, which the log should show. */
function hide(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, value]) => [name, isHidden(name) ? "hidden" : value]));
}

function isHidden(name: string): boolean {
  return HIDDEN.test(name) && !NOT_HIDDEN.has(name);
}
