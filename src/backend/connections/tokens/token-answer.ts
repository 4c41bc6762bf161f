import { clean } from "#protocol/clean";

/**
 * An answer of a token endpoint in the forms that providers use: JSON or form encoded, a failure with status 200 (GitHub,
 * Slack), errors under `error`, `status` (HubSpot) or `error.message` (Bitbucket). Empty and null fields count as absent.
 */
export type TokenResponse =
  | { kind: "tokens"; fields: Record<string, unknown> }
  | { kind: "error"; codes: string[]; description: string }
  | { kind: "unreadable" };

/**
 * Reads the body of a token endpoint's answer (RFC 6749 sections 5.1 and 5.2).
 *
 * @param tokensIn field with the user's own tokens, if there are several kinds; if it has none, the top-level ones
 * count
 */
export function parseTokenResponse(status: number, body: string, tokensIn?: string): TokenResponse {
  const fields = pickOwnTokens(parseFields(body), tokensIn);
  const codes = listErrorCodes(fields);
  const isFailure = status >= 400 || typeof fields.access_token !== "string" || fields.ok === false;
  if (codes.length > 0 && isFailure) return { kind: "error", codes, description: describe(fields, codes) };
  if (isFailure)
    return status >= 400 ? { kind: "error", codes: [], description: `HTTP ${status}` } : { kind: "unreadable" };
  return { kind: "tokens", fields };
}

/** Picks the tokens of one kind: a user's access token must not be stored with a bot's refresh token. */
function pickOwnTokens(fields: Record<string, unknown>, tokensIn: string | undefined): Record<string, unknown> {
  const userTokens = tokensIn === undefined ? undefined : fields[tokensIn];
  if (typeof userTokens !== "object" || userTokens === null || !("access_token" in userTokens)) return fields;
  return { ok: fields.ok, ...withoutEmpty(userTokens as Record<string, unknown>) };
}

function parseFields(body: string): Record<string, unknown> {
  const fields = parseJsonObject(body) ?? parseForm(body);
  return withoutEmpty(fields);
}

function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ""));
}

function parseJsonObject(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
    return value as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function parseForm(body: string): Record<string, unknown> {
  return /^\s*[\w.-]+=/.test(body) ? Object.fromEntries(new URLSearchParams(body.trim())) : {};
}

function listErrorCodes(fields: Record<string, unknown>): string[] {
  const candidates = fields.status === "error" ? [fields.error] : [fields.error, fields.status];
  const codes = candidates.filter((code): code is string => typeof code === "string" && /^[\w.-]{1,80}$/.test(code));
  if (codes.length > 0) return codes;
  return fields.error === undefined ? [] : ["error"];
}

function describe(fields: Record<string, unknown>, codes: string[]): string {
  const nested =
    typeof fields.error === "object" && fields.error !== null ? (fields.error as Record<string, unknown>) : {};
  const description = [fields.error_description, fields.message, nested.message, fields.error].find(
    (text): text is string => typeof text === "string",
  );
  return sanitizeSentence(description ?? codes[0] ?? "no reason given");
}

/** Cleans foreign text for use in a sentence: one line, no control characters or markup, at most 200 characters. */
export function sanitizeSentence(text: string): string {
  const line = clean(text).replace(/[<>]/g, " ").replace(/\s+/g, " ").trim();
  return (line.length > 200 ? `${line.slice(0, 200)}…` : line).replace(/\.$/, "");
}
