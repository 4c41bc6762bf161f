import { REDACTED, redactSecrets } from "#protocol/redact";

/** Removes secrets from texts: the known ones of this machine, and all that look like one. */
export type Redactor = {
  (text: string): string;
  /** Adds secrets. */
  hide(...secrets: (string | undefined)[]): void;
};

/** Shorter values could match ordinary words, and real secrets are longer. */
const SHORTEST = 4;

/** Creates a redactor that knows the secrets of an environment. */
export function createRedactor(env: Record<string, string | undefined>): Redactor {
  const secrets = new Set<string>();
  const hide: Redactor["hide"] = (...texts) => {
    for (const secret of texts.flatMap(listSpellings)) if (secret.length >= SHORTEST) secrets.add(secret);
  };
  for (const [name, value = ""] of Object.entries(env)) hide(...listSecrets(name, value));
  const scrub = (text: string) => {
    // The longest first: one may be a part of another.
    const values = [...secrets].sort((a, b) => b.length - a.length);
    return redactSecrets(values.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text));
  };
  return Object.assign(scrub, { hide });
}

/** Whether the value of a variable is a secret by the variable's name. */
function isSecretName(name: string): boolean {
  return /(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|COOKIE|_PAT|_AUTH)$|^KAY_KEYS$|^PG(PASS|SERVICE)/i.test(
    name,
  );
}

/** Credentials in a URL are secrets, whatever the variable is called. */
function listSecrets(name: string, value: string): string[] {
  if (isSecretName(name) && name !== "KAY_CREDENTIALS") return [value.trim()];
  return value.split(/\s+/).flatMap((word) => {
    const [, password] = /^[^/:@]*:(.*)@/.exec(word.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")) ?? [];
    return password ? [password] : [];
  });
}

/** Lists the spellings of a secret, which may be escaped. */
function listSpellings(secret: string | undefined): string[] {
  if (!secret) return [];
  const all = [secret, encodeURIComponent(secret)];
  try {
    all.push(decodeURIComponent(secret));
  } catch {
    // It has no escapes.
  }
  return all;
}

/** Variables that matter to kay, its providers, its terminal or its network. Others are not reported. */
const RELEVANT =
  /^(KAY_|XDG_|LC_|NODE_|SSH_(CONNECTION|TTY|CLIENT)$|(OPENAI|ANTHROPIC|GOOGLE|GEMINI|OLLAMA)_|(HTTPS?|ALL|NO)_PROXY$|DATABASE_URL$|(LANG|TERM|TERM_PROGRAM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|TMUX|STY|ZELLIJ|VTE_VERSION|CI|BROWSER|EDITOR|VISUAL|DISPLAY|WAYLAND_DISPLAY|WSL_DISTRO_NAME|DBUS_SESSION_BUS_ADDRESS|HOME|ACCESSIBLE|INK_SCREEN_READER|GITHUB_ACTIONS|GITLAB_CI)$)/i;

/** Variables whose value may be shown, unless it looks like a secret. */
const HARMLESS =
  /^(KAY_(API_URL|PROFILE|CREDENTIALS|CONFIG_DIR|MODEL|CA_FILE|DEBUG|FORCE_TTY|IDLE_LIMIT_MS|KYG_.*)|KAY_CLIENT_\w+_ID|XDG_.*|LC_.*|NODE_(EXTRA_CA_CERTS|OPTIONS|ENV)|\w+_(BASE_URL|MODEL|HOST)|(HTTPS?|ALL|NO)_PROXY|LANG|TERM|TERM_PROGRAM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|VTE_VERSION|CI|BROWSER|EDITOR|VISUAL|DISPLAY|WAYLAND_DISPLAY|WSL_DISTRO_NAME|DBUS_SESSION_BUS_ADDRESS|HOME|ACCESSIBLE|INK_SCREEN_READER|GITHUB_ACTIONS|GITLAB_CI)$/i;

/** Returns the environment for a report: harmless values as they are; of all others, only that they are set. */
export function redactEnvironment(env: Record<string, string | undefined>): Record<string, string> {
  const relevant = Object.entries(env).filter(([name, value]) => value !== undefined && RELEVANT.test(name));
  const variables = relevant.map(([name, value = ""]): [string, string] => {
    if (value === "") return [name, "(empty)"];
    const isShown = HARMLESS.test(name) && (name === "KAY_CREDENTIALS" || !isSecretName(name));
    return [name, isShown ? withoutCredentials(value) : "(set)"];
  });
  return Object.fromEntries(variables.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Credentials precede the last @ of a URL. */
function withoutCredentials(value: string): string {
  return value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^\s]*@/i, "$1***@");
}
