/** The challenge of a 401 or 403 response (RFC 6750 section 3, RFC 9728 section 5.1). Not validated yet. */
export type AuthChallenge = { error?: string; scopes: string[]; resourceMetadata?: string };

/** Longest part of a header that is read, in characters. */
const MAX_HEADER_LENGTH = 8_192;

/** Maximum number of scopes that a server may ask for, and the length of one. */
const MAX_SCOPES = 60;
const MAX_SCOPE_LENGTH = 200;

/** Parses the `Bearer` challenge of a response and ignores other schemes. */
export function parseChallenge(headers: Headers): AuthChallenge {
  const header = (headers.get("www-authenticate") ?? "").slice(0, MAX_HEADER_LENGTH);
  const match = /(?:^|,)\s*bearer(?:\s+|$)/i.exec(header);
  const values = match ? parseParameters(header.slice(match.index + match[0].length)) : new Map<string, string>();
  const [error, resourceMetadata] = [values.get("error"), values.get("resource_metadata")];
  return {
    scopes: parseScopes(values.get("scope")),
    ...(error === undefined ? {} : { error }),
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
  };
}

/** Parses scopes from a list or a space-separated string (RFC 6749 section 3.3). Invalid scopes are omitted. */
export function parseScopes(input: unknown): string[] {
  const all = typeof input === "string" ? input.split(" ") : Array.isArray(input) ? input : [];
  const scopes = all.filter(
    (scope): scope is string => typeof scope === "string" && scope.length <= MAX_SCOPE_LENGTH && SCOPE.test(scope),
  );
  return [...new Set(scopes)].slice(0, MAX_SCOPES);
}

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Parses `name=value` pairs up to the next scheme. The first of several values with the same name counts. */
function parseParameters(text: string): Map<string, string> {
  const parameters = new Map<string, string>();
  const pair = /\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))\s*(?:,|$)/y;
  for (let match = pair.exec(text); match !== null; match = pair.exec(text)) {
    const [, name = "", quoted, unquoted = ""] = match;
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted === undefined ? unquoted : quoted.replace(/\\(.)/g, "$1"));
  }
  return parameters;
}
