/** Replacement for a removed secret. */
export const REDACTED = "[redacted]";

/** A JWT, or a run that only begins like one. It is read whole, so that not every `eyJ` in it is tried. */
const JWT = /\beyJ[\w-]+(\.[\w-]+\.[\w-]*)?/g;

/**
 * Patterns of secrets in any text: kay's own IDs and tokens, providers' prefixes, and secrets in URLs and
 * headers.
 */
const SECRET_FORMS: [RegExp, string][] = [
  [
    /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----(?:(?!-----)[\s\S])*(?:-----END (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----)?/g,
    REDACTED,
  ],
  [/(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/g, REDACTED],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${REDACTED}`],
  [/\b(kaysession|confirm|kayt)_\w+/g, `$1_${REDACTED}`],
  [/\bprogram_[0-9a-f]{32}\.\d+\.[\w-]+/g, REDACTED],
  [
    /\b(gh[a-z]_|github_pat_|glpat-|npm_|xox[a-z][-.]|xapp-|sk[-_]|rk_live_|hf_|gsk_|xai-|ntn_|lin_api_|GOCSPX-|ya29\.|1\/\/|ATATT|ATCTT|AIza|pat-)[\w.~+/=-]{8,}/g,
    REDACTED,
  ],
  [
    /((?:^|[?&#;,({\s])(?:code|state|session_id|key|[\w.-]*(?:token|secret|verifier|password|passwd|api[_-]?key|access[_-]?key|private[_-]?key))=)[^&#\s"']+/gi,
    `$1${REDACTED}`,
  ],
  [/((?:token|secret|password|verifier)["']?\s*[:=]\s*["'])[^"']+/gi, `$1${REDACTED}`],
  [/(\/\/hooks\.slack\.com\/services\/)[\w/]+/g, `$1${REDACTED}`],
  [/\bpat[A-Za-z0-9]{14}\.[0-9a-f]{32,}/g, REDACTED],
  [/(\/\/[^/\s:@]+:)[^/\s@]+@/g, `$1${REDACTED}@`],
];

/** Replaces everything in a text that looks like a secret. */
export function redactSecrets(text: string): string {
  const masked = text.replace(JWT, (run, tail) => (tail === undefined ? run : REDACTED));
  return SECRET_FORMS.reduce((result, [form, replacement]) => result.replace(form, replacement), masked);
}

/** Replaces known secrets in a text, also where JSON writes their characters as `\\u0041`. */
export function hideSecrets(text: string, secrets: string[] = []): string {
  return secrets.reduce(
    (result, secret) =>
      (result.includes("\\u") ? result.replace(toEscapedPattern(secret), REDACTED) : result).replaceAll(
        secret,
        REDACTED,
      ),
    text,
  );
}

/** Secrets are ASCII, so each character is one escape. */
function toEscapedPattern(secret: string): RegExp {
  const forms = [...secret].map((character) => {
    const code = character.charCodeAt(0).toString(16).padStart(2, "0");
    return `(?:\\x${code}|\\\\u00${code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  });
  return new RegExp(forms.join(""), "g");
}

/** Replaces everything in a JSON value that looks like a secret, by its form or by its field name. */
export function redactDocument(value: unknown): unknown {
  if (typeof value === "string") return redactSecrets(value);
  if (Array.isArray(value)) return value.map(redactDocument);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === "string" && SECRET_NAME.test(name) ? REDACTED : redactDocument(inner),
    ]),
  );
}

const SECRET_NAME =
  /(^|_|-)(token|secret|password|passphrase|authorization|cookie|(api|private|access)[_-]?key)$|[a-z](Token|Secret|Password|Key)$/;
