import { REDACTED, redactSecrets } from "#protocol/redact";

/** Takes secrets out of texts: those that this machine is known to have, wherever they stand, and whatever looks like one. */
export type Redactor = {
  (text: string): string;
  /** These are secrets too, from now on. */
  hide(...secrets: (string | undefined)[]): void;
};

/** Shorter values would tear up ordinary words; nothing that guards anything is that short. */
const SHORTEST = 4;

/** A {@link Scrub} that knows the secrets of an environment. */
export function createRedactor(env: Record<string, string | undefined>): Redactor {
  const secrets = new Set<string>();
  const hide: Redactor["hide"] = (...found) => {
    for (const secret of found.flatMap(spellings)) if (secret.length >= SHORTEST) secrets.add(secret);
  };
  for (const [name, value = ""] of Object.entries(env)) hide(...secretsIn(name, value));
  const scrub = (text: string) => {
    // The longest first: one may be a part of another.
    const known = [...secrets].sort((a, b) => b.length - a.length);
    return redactSecrets(known.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text));
  };
  return Object.assign(scrub, { hide });
}

/** Whether the value of a variable is a secret by the variable's name. */
export function isSecretName(name: string): boolean {
  return /(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|COOKIE|_PAT|_AUTH)$|^KAY_KEYS$|^PG(PASS|SERVICE)/i.test(
    name,
  );
}

/** Credentials within an address are secrets whatever its variable is called. */
function secretsIn(name: string, value: string): string[] {
  if (isSecretName(name) && name !== "KAY_CREDENTIALS") return [value.trim()];
  return value.split(/\s+/).flatMap((word) => {
    const [, password] = /^[^/:@]*:(.*)@/.exec(word.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")) ?? [];
    return password ? [password] : [];
  });
}

/** A secret may be written with escapes in one place and without in another. */
function spellings(secret: string | undefined): string[] {
  if (!secret) return [];
  const all = [secret, encodeURIComponent(secret)];
  try {
    all.push(decodeURIComponent(secret));
  } catch {
    // It has no escapes.
  }
  return all;
}
