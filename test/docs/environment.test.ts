import { expect, test } from "vitest";
import { TOPICS } from "#cli/help/topics";
import { isErrorCode } from "#protocol/errors";
import { PROVIDERS } from "#protocol/providers";
import { documents, sources } from "#test/documents";

/** Variables that a system or its desktop, terminal, shell or CI sets; nobody sets these for kay. */
const OF_THE_SYSTEM = [
  [
    "APPDATA",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "HOME",
    "LOCALAPPDATA",
    "PATH",
    "SHELL",
    "SystemRoot",
    "USERPROFILE",
  ],
  ["SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"],
  ["STY", "TMUX", "XTERM_VERSION", "ZELLIJ"],
  ["COLORTERM", "KITTY_WINDOW_ID", "TERM_PROGRAM", "VTE_VERSION", "WT_SESSION"],
  ["LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "SUDO_USER", "TZ", "USER"],
  ["BUILDKITE", "GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL", "TEAMCITY_VERSION", "TF_BUILD"],
].flat();

const NAME = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b(?:ACCESSIBLE|BROWSER|EDITOR|PAGER|VISUAL|CI|CLICOLOR|TERM)\b/g;

test("`kay help environment` names every provider that a client can be set for", () => {
  for (const provider of Object.keys(PROVIDERS))
    expect(TOPICS.environment).toMatch(new RegExp(`\\b${provider}\\b`, "i"));
});

test("every variable of `kay help environment` is read", () => {
  const read = readBy(sources("src/**/*.ts", "bin/*.js"));
  expect(listHelpNames().filter((name) => !read.has(name))).toEqual([]);
});

test("every variable that is read is in `kay help environment`, except for what the system sets", () => {
  const read = [...readBy(sources("src/**/*.ts", "bin/*.js"))];
  const documented = [...listHelpNames(), ...OF_THE_SYSTEM];
  expect(read.filter((name) => !documented.includes(name)).sort()).toEqual([]);
});

test("every kay variable that the documents name is read", () => {
  const read = readBy(sources("src/**/*.ts", "test/contract/*.ts"));
  const mentioned = documents().flatMap(({ text }) =>
    [...text.matchAll(/\bKAY_[A-Z_]*[A-Z]\b/g)].map(([name]) => name),
  );
  expect([...new Set(mentioned)].filter((name) => !read.has(name))).toEqual([]);
});

function listHelpNames(): string[] {
  const text = TOPICS.environment ?? "";
  const names = [...text.matchAll(NAME)].map(([name]) => name);
  const clients = [...text.matchAll(/\bKAY_CLIENT_<PROVIDER>(_\w+)/g)].flatMap(([, end = ""]) =>
    listClientVariables(end),
  );
  return [...new Set([...names, ...clients])];
}

/** Names that code asks an environment for, in each of the ways in which it does. */
function readBy(code: string): Set<string> {
  const names = new Set<string>();
  const add = (pattern: RegExp, expand: (name: string) => string[] = (name) => [name]) => {
    for (const [, name = ""] of code.matchAll(pattern)) for (const each of expand(name)) names.add(each);
  };
  add(/\benv\??\.([A-Z]\w+)/g);
  add(/\benv\["(\w+)"\]/g);
  add(/\benv: "(\w+)"/g);
  add(/\bxdg\("(\w+)"\)/g);
  // Names in lists: the keys of providers, proxies.
  add(/"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"/g, (name) => (isVariable(name) ? [name] : []));
  // Clients of providers, and the places of kyg, are put together.
  add(/`KAY_CLIENT_\$\{\w+(?:\.toUpperCase\(\))?\}(_ID|_SECRET)`/g, listClientVariables);
  add(/getCACertificates\("(default)"\)/g, () => ["NODE_EXTRA_CA_CERTS"]);
  return names;
}

function listClientVariables(end: string): string[] {
  return Object.keys(PROVIDERS).map((provider) => `KAY_CLIENT_${provider.toUpperCase()}${end}`);
}

/** Other constants also look like variables; those of the environment end like this. */
function isVariable(name: string): boolean {
  return /_(KEY|API_KEY|URL|HOST|MODEL|PROXY|HOME|DIR)$/.test(name) && !isErrorCode(name);
}
