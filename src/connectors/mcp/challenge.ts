/** What a server says with a 401 or 403 (RFC 6750 section 3, RFC 9728 section 5.1). Nothing of it is checked yet. */
export type AuthChallenge = { error?: string; scopes: string[]; resourceMetadata?: string };

/** Characters of a header that are read. */
const LONGEST = 8_192;

/** Most permissions that a server may ask for, and the characters of one. */
const MOST_SCOPES = 60;
const LONGEST_SCOPE = 200;

/** The `Bearer` challenge of an answer, whatever other schemes the header names. */
export function parseChallenge(headers: Headers): AuthChallenge {
  const header = (headers.get("www-authenticate") ?? "").slice(0, LONGEST);
  const at = /(?:^|,)\s*bearer(?:\s+|$)/i.exec(header);
  const told = at ? parameters(header.slice(at.index + at[0].length)) : new Map<string, string>();
  const [error, resourceMetadata] = [told.get("error"), told.get("resource_metadata")];
  return {
    scopes: parseScopes(told.get("scope")),
    ...(error === undefined ? {} : { error }),
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
  };
}

/** The permissions in a list or a text with spaces (RFC 6749 section 3.3); what cannot be one is left out. */
export function parseScopes(told: unknown): string[] {
  const all = typeof told === "string" ? told.split(" ") : Array.isArray(told) ? told : [];
  const scopes = all.filter(
    (one): one is string => typeof one === "string" && one.length <= LONGEST_SCOPE && SCOPE.test(one),
  );
  return [...new Set(scopes)].slice(0, MOST_SCOPES);
}

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** `name=value` pairs up to the next scheme; of a name that comes twice the first counts. */
function parameters(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const pair = /\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))\s*(?:,|$)/y;
  for (let match = pair.exec(text); match !== null; match = pair.exec(text)) {
    const [, name = "", quoted, bare = ""] = match;
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, quoted === undefined ? bare : quoted.replace(/\\(.)/g, "$1"));
  }
  return found;
}
