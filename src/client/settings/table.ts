import { isLoopbackHost, parseOrigin } from "#net/addresses";
import { Problem } from "#protocol/errors";
import { PROVIDERS, type ProviderName, TOKEN_PROVIDERS } from "#protocol/providers";
import { parseApprovalTimeout } from "#protocol/time";

/** Definition of a setting. */
export type Entry = {
  /** One line for `kay config list`. */
  describe: string;
  /** Environment variable that overrides the profile. */
  env?: string;
  default?: string | boolean;
  /** Whether the value is never shown. */
  secret?: true;
  /** Values that completion offers: all valid ones, or common ones. */
  values?: string[];
  /** Parses a value. @throws Problem USAGE that says what is valid */
  parse(text: string): string | boolean;
};

/** The closed table of settings. Each provider has two for its OAuth client. */
export const SETTINGS = {
  "api-url": {
    describe: "Backend URL (default: a local backend)",
    env: "KAY_API_URL",
    // Whether plain HTTP is allowed depends on another setting, so it is checked where the URL is used.
    parse: (text) => parseOrigin(text, { allowInsecure: true }).baseUrl,
  },
  model: { describe: "Model to use, as provider:model", env: "KAY_MODEL", parse: parseModel },
  credentials: {
    describe: "Where tokens are stored",
    env: "KAY_CREDENTIALS",
    default: "auto",
    ...toChoice("auto", "keychain", "file"),
  },
  "allow-insecure": {
    describe: "Allow plain HTTP to a remote backend",
    default: false,
    values: ["true", "false"],
    parse: parseSwitch,
  },
  browser: {
    describe: "Program that opens links, or none",
    env: "BROWSER",
    values: ["none"],
    parse: parseText,
  },
  "approval-timeout": {
    describe: "How long approvals wait for an answer: 30m, 24h, 7d",
    env: "KAY_APPROVAL_TIMEOUT",
    parse: parseApprovalTime,
  },
  notify: {
    describe: "Bell, command or https URL that tells you when kay needs you",
    env: "KAY_NOTIFY",
    default: "auto",
    values: ["auto", "off"],
    parse: parseNotify,
  },
  "update-notice": {
    describe: "Show a daily notice when a new version is available",
    default: "auto",
    ...toChoice("auto", "off"),
  },
  "client-document": {
    describe: "URL of your OAuth client document for MCP servers",
    env: "KAY_CLIENT_DOCUMENT",
    parse: parseDocumentUrl,
  },
  "jira.project": {
    describe: "Default Jira project, such as KAY",
    env: "KAY_JIRA_PROJECT",
    parse: parseName,
  },
  "confluence.space": {
    describe: "Default Confluence space",
    env: "KAY_CONFLUENCE_SPACE",
    parse: parseName,
  },
  "slack.channel": {
    describe: "Default Slack channel, such as general",
    env: "KAY_SLACK_CHANNEL",
    parse: parseName,
  },
  "github.repository": {
    describe: "Default GitHub repository, as owner/name",
    env: "KAY_GITHUB_REPOSITORY",
    parse: parseRepository,
  },
  "bitbucket.repository": {
    describe: "Default Bitbucket repository",
    env: "KAY_BITBUCKET_REPOSITORY",
    parse: parseRepository,
  },
  "google-calendar.calendar": {
    describe: "Default Google calendar",
    env: "KAY_GOOGLE_CALENDAR_CALENDAR",
    parse: parseName,
  },
  "airtable.base": {
    describe: "Default Airtable base",
    env: "KAY_AIRTABLE_BASE",
    parse: parseName,
  },
  ...buildClientEntries(),
  "github.url": { describe: "URL of your GitHub Enterprise", env: "KAY_GITHUB_URL", parse: parseEndpoint },
  ...buildSignInEntries(),
  "kyg.authorize-url": { describe: "Consent page of kyg", env: "KAY_KYG_AUTHORIZE_URL", parse: parseEndpoint },
  "kyg.token-url": { describe: "Token endpoint of kyg", env: "KAY_KYG_TOKEN_URL", parse: parseEndpoint },
  "kyg.api-url": { describe: "API of kyg", env: "KAY_KYG_API_URL", parse: parseEndpoint },
  "kyg.scopes": {
    describe: "Scopes to request from kyg, separated by spaces",
    env: "KAY_KYG_SCOPES",
    parse: parseText,
  },
} as const satisfies Record<string, Entry>;

/** Settings with the defaults of a service: `<service>.<thing>`. */
export const SERVICE_DEFAULTS = [
  "jira.project",
  "confluence.space",
  "slack.channel",
  "github.repository",
  "bitbucket.repository",
  "google-calendar.calendar",
  "airtable.base",
] as const satisfies (keyof typeof SETTINGS)[];

/** Name of a setting. */
export type SettingKey = keyof typeof SETTINGS;

/** Whether a text is the name of a setting. */
export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key);
}

type ClientEntries = Record<`${ProviderName}.client-id` | `${ProviderName}.client-secret`, Entry>;

function buildClientEntries(): ClientEntries {
  const entries = Object.entries(PROVIDERS).flatMap(([provider, title]): [string, Entry][] => {
    const variable = `KAY_CLIENT_${provider.toUpperCase()}`;
    return [
      [
        `${provider}.client-id`,
        { describe: `Your OAuth client ID for ${title}`, env: `${variable}_ID`, parse: parseText },
      ],
      [
        `${provider}.client-secret`,
        { describe: "Secret of that OAuth client", env: `${variable}_SECRET`, secret: true, parse: parseText },
      ],
    ];
  });
  return Object.fromEntries(entries) as ClientEntries;
}

function buildSignInEntries(): Record<`${(typeof TOKEN_PROVIDERS)[number]}.sign-in`, Entry> {
  const entries = TOKEN_PROVIDERS.map((provider): [string, Entry] => [
    `${provider}.sign-in`,
    {
      describe: `Sign-in to ${PROVIDERS[provider]}: consent, or a token that you paste`,
      env: `KAY_${provider.toUpperCase()}_SIGN_IN`,
      ...toChoice("consent", "token"),
    },
  ]);
  return Object.fromEntries(entries) as Record<`${(typeof TOKEN_PROVIDERS)[number]}.sign-in`, Entry>;
}

/** Maximum length of a name of a project, channel, and so on, in characters. */
const MAX_NAME_LENGTH = 200;

function parseName(text: string): string {
  const value = parseText(text);
  if (value.length <= MAX_NAME_LENGTH) return value;
  throw new Problem("USAGE", `The value must have at most ${MAX_NAME_LENGTH} characters.`);
}

function parseRepository(text: string): string {
  const value = parseName(text);
  if (/^[\w.-]+\/[\w.-]+$/.test(value)) return value;
  throw new Problem("USAGE", "Specify a repository as owner/name.");
}

function parseText(text: string): string {
  const value = text.trim();
  if (value === "" || /\p{Cc}/u.test(value)) throw new Problem("USAGE", "The value must be a single line.");
  return value;
}

function parseApprovalTime(text: string): string {
  if (parseApprovalTimeout(text) !== undefined) return text.trim();
  throw new Problem("USAGE", "The value must be a time from 10s to 7d.", { hint: "For example 30m, 24h or 7d." });
}

/** Parses the URL of a client document: https and a path (OAuth Client ID Metadata Document, section 3). @throws Problem USAGE */
export function parseDocumentUrl(text: string): string {
  const url = URL.parse(text.trim());
  requireNoUser(url);
  const isUsable = url?.protocol === "https:" && url.pathname !== "/" && !url.search && !url.hash;
  if (url && isUsable) return url.href;
  throw new Problem("USAGE", "The client document must be an https:// URL with a path, without ? and #.");
}

/** Refuses credentials in a URL, which would be sent or stored with it. @throws Problem USAGE */
function requireNoUser(url: URL | null): void {
  if (url && /^https?:$/.test(url.protocol) && (url.username || url.password))
    throw new Problem("USAGE", "The URL must not contain a user name or password.");
}

function parseNotify(text: string): string {
  const value = parseText(text);
  if (["auto", "off"].includes(value.toLowerCase())) return value.toLowerCase();
  const url = URL.parse(value);
  requireNoUser(url);
  const isLocal = url?.protocol === "http:" && isLoopbackHost(url.hostname);
  if (url && (url.protocol === "https:" || isLocal)) return value;
  if (/^["']?(?:[\w.-]*[\\/]|[A-Za-z]:\\)/.test(value)) return value;
  throw new Problem("USAGE", "The value must be auto, off, an https URL, or a command that begins with its path.", {
    hint: "For example /home/ann/bin/notify, or https://example.com/hook.",
  });
}

function parseModel(text: string): string {
  const value = parseText(text);
  if (/^[a-z][a-z0-9-]*(:\S+)?$/.test(value)) return value;
  throw new Problem("USAGE", "Specify a model as provider:model, a provider name, or offline.", {
    hint: "For example openai:gpt-5, anthropic:claude-sonnet-4-5, google:gemini-2.5-pro or openai-compatible:llama3.",
  });
}

function parseSwitch(text: string): boolean {
  const value = text.trim().toLowerCase();
  if (["true", "yes", "on", "1"].includes(value)) return true;
  if (["false", "no", "off", "0"].includes(value)) return false;
  throw new Problem("USAGE", "The value must be true or false.");
}

function parseEndpoint(text: string): string {
  return parseOrigin(text, { allowInsecure: false }).baseUrl;
}

function toChoice(...values: [string, ...string[]]): Pick<Entry, "values" | "parse"> {
  return {
    values,
    parse: (text) => {
      const value = text.trim().toLowerCase();
      if (values.includes(value)) return value;
      throw new Problem("USAGE", `The value must be ${values.slice(0, -1).join(", ")} or ${values.at(-1)}.`);
    },
  };
}
