/** What stands for a secret that was taken out. */
export const REDACTED = "[redacted]";

/** Forms of secrets wherever they stand: kay's own ids and tokens, JWTs, the prefixes of providers, secrets in URLs and headers. */
const FORMS: [RegExp, string][] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, REDACTED],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${REDACTED}`],
  [/\b(kaysession|confirm)_\w+/g, `$1_${REDACTED}`],
  [/\b(gh[a-z]_|github_pat_|xox[a-z]-|xapp-|sk-|ya29\.|1\/\/|ATATT|ATCTT|AIza|pat-)[\w.~+/=-]{8,}/g, REDACTED],
  [
    /((?:^|[?&#;,({\s])(?:code|state|session_id|key|[\w.-]*(?:token|secret|verifier|password))=)[^&#\s"']+/gi,
    `$1${REDACTED}`,
  ],
  [/(["']?[\w-]*(?:token|secret|password|verifier)["']?\s*[:=]\s*["'])[^"']+/gi, `$1${REDACTED}`],
  [/(\/\/[^/\s:@]+:)[^/\s@]+@/g, `$1${REDACTED}@`],
];

/** A text without what looks like a secret. */
export function redactSecrets(text: string): string {
  return FORMS.reduce((rest, [form, instead]) => rest.replace(form, instead), text);
}

/** A JSON value without what looks like a secret, by its form or by the name of its field; everything else as it is. */
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
