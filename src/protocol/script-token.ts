/** Prefix that tells script tokens from access tokens, and by which secret scanners find them. */
const PREFIX = "kayt_";

/** Returns whether a token is a script token by its form. */
export function isScriptToken(token: string): boolean {
  return token.startsWith(PREFIX);
}

/** Writes a script token: its ID without the kind, and its secret. */
export function formatScriptToken(id: string, secret: string): string {
  return `${PREFIX}${id.slice(ID_KIND.length)}_${secret}`;
}

/** Reads the ID and the secret of a script token; undefined for any other text. */
export function parseScriptToken(token: string): { id: string; secret: string } | undefined {
  const [, id, secret] = /^kayt_([0-9a-f]{16})_([0-9a-f]{48})$/.exec(token) ?? [];
  return id === undefined || secret === undefined ? undefined : { id: `${ID_KIND}${id}`, secret };
}

/** Kind at the beginning of the IDs by which tokens are listed. */
const ID_KIND = "token_";
