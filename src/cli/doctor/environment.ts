import { isSecretName } from "../commands/doctor/redact.ts";

/** Variables that mean something to kay, its providers, its terminal or its network. Others are nobody's business. */
const RELEVANT =
  /^(KAY_|XDG_|LC_|NODE_|SSH_(CONNECTION|TTY|CLIENT)$|(OPENAI|ANTHROPIC|GOOGLE|GEMINI|OLLAMA)_|(HTTPS?|ALL|NO)_PROXY$|DATABASE_URL$|(LANG|TERM|TERM_PROGRAM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|TMUX|STY|ZELLIJ|VTE_VERSION|CI|BROWSER|EDITOR|VISUAL|DISPLAY|WAYLAND_DISPLAY|WSL_DISTRO_NAME|DBUS_SESSION_BUS_ADDRESS|HOME|ACCESSIBLE|INK_SCREEN_READER|GITHUB_ACTIONS|GITLAB_CI)$)/i;

/** Those whose value may be shown, as far as it has nothing that looks like a secret. */
const HARMLESS =
  /^(KAY_(API_URL|PROFILE|CREDENTIALS|CONFIG_DIR|MODEL|CA_FILE|DEBUG|FORCE_TTY|IDLE_LIMIT_MS|KYG_.*)|KAY_CLIENT_\w+_ID|XDG_.*|LC_.*|NODE_(EXTRA_CA_CERTS|OPTIONS|ENV)|\w+_(BASE_URL|MODEL|HOST)|(HTTPS?|ALL|NO)_PROXY|LANG|TERM|TERM_PROGRAM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|VTE_VERSION|CI|BROWSER|EDITOR|VISUAL|DISPLAY|WAYLAND_DISPLAY|WSL_DISTRO_NAME|DBUS_SESSION_BUS_ADDRESS|HOME|ACCESSIBLE|INK_SCREEN_READER|GITHUB_ACTIONS|GITLAB_CI)$/i;

/** The environment for a report: names, values where they are harmless, and of all others only that they are set. */
export function redactEnvironment(env: Record<string, string | undefined>): Record<string, string> {
  const relevant = Object.entries(env).filter(([name, value]) => value !== undefined && RELEVANT.test(name));
  const shown = relevant.map(([name, value = ""]): [string, string] => {
    if (value === "") return [name, "(empty)"];
    const isShown = HARMLESS.test(name) && (name === "KAY_CREDENTIALS" || !isSecretName(name));
    return [name, isShown ? withoutCredentials(value) : "(set)"];
  });
  return Object.fromEntries(shown.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Credentials stand before the last @ of an address. */
function withoutCredentials(value: string): string {
  return value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^\s]*@/i, "$1***@");
}
