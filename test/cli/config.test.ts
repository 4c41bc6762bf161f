import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseDocument, useKay } from "#test/kay";

const kay = useKay();
/** A machine without a backend in its environment. */
const machine = (env: Record<string, string> = {}) => kay({ env: { KAY_API_URL: "", ...env } });
const settings = async (folder: string) => JSON.parse(await readFile(join(folder, "kay", "config.json"), "utf8"));

test("config set stores a value in the profile, get prints it, unset removes it", async () => {
  const ann = machine();
  expect(await ann("config set model openai:gpt-5")).toEqual({
    exit: 0,
    stdout: "",
    stderr: "Set model in profile default.\n",
  });
  expect(await ann("config get model")).toEqual({ exit: 0, stdout: "openai:gpt-5\n", stderr: "" });
  const unset = {
    exit: 1,
    stdout: "",
    stderr: "model is not set.\n  Set it with `kay config set model <value>`.\n",
  };
  expect(await ann("config get model --profile work")).toEqual(unset);
  expect(await ann("config get model --profile work --json")).toMatchObject({ exit: 1, stderr: "" });
  expect(await settings(ann.folder)).toEqual({ profiles: { default: { model: "openai:gpt-5" } } });
  expect(await ann("config unset model")).toEqual({
    exit: 0,
    stdout: "",
    stderr: "Removed model from profile default.\n",
  });
  expect(await ann("config unset model")).toEqual({
    exit: 0,
    stdout: "",
    stderr: "model was not set in profile default.\n",
  });
  expect(await ann("config get model")).toEqual(unset);
});

test("config --json prints one setting, or all", async () => {
  const ann = machine({ KAY_MODEL: "offline" });
  const description = "Program that opens links, or none";
  const browser = {
    key: "browser",
    value: "firefox",
    source: "profile",
    where: "browser of profile work",
    description,
  };
  expect(parseDocument(await ann("config set browser firefox --json --profile work"))).toEqual(browser);
  expect(parseDocument(await ann("config get browser --json --profile work"))).toEqual(browser);
  expect(parseDocument(await ann("config get model --json"))).toEqual({
    key: "model",
    value: "offline",
    source: "environment",
    where: "KAY_MODEL",
    description: "Model to use, as provider:model",
  });
  expect(parseDocument(await ann("config list --json --profile work"))).toEqual({
    profile: "work",
    settings: expect.arrayContaining([browser]),
  });
  expect(parseDocument(await ann("config unset browser --json --profile work"))).toMatchObject({ value: null });
  expect(await ann("config get browser --json --profile work")).toMatchObject({ exit: 1 });
  expect(parseDocument(await ann("config path --json"))).toEqual({ path: "/home/ann/kay/config.json" });
});

test("config path prints the path of the file", async () => {
  expect(await machine()("config path")).toEqual({ exit: 0, stdout: "/home/ann/kay/config.json\n", stderr: "" });
  const ann = machine({ KAY_CONFIG_DIR: "/somewhere/else" });
  expect(await ann("config path")).toEqual({ exit: 0, stdout: "/somewhere/else/config.json\n", stderr: "" });
});

test("config list shows the source of every value", async () => {
  const ann = machine({ KAY_MODEL: "offline" });
  await ann("config set api-url https://kay.example.test");
  expect(await ann("config list")).toEqual({
    exit: 0,
    stdout: `api-url\thttps://kay.example.test\tprofile default\tBackend URL (default: a local backend)
model\toffline\tKAY_MODEL\tModel to use, as provider:model
credentials\tauto\t\tWhere tokens are stored
allow-insecure\tfalse\t\tAllow plain HTTP to a remote backend
browser\t\t\tProgram that opens links, or none
approval-timeout\t\t\tHow long approvals wait for an answer: 30m, 24h, 7d
notify\tauto\t\tBell, command or https URL that tells you when kay needs you
update-notice\tauto\t\tShow a daily notice when a new version is available
client-document\t\t\tURL of your OAuth client document for MCP servers
jira.project\t\t\tDefault Jira project, such as KAY
confluence.space\t\t\tDefault Confluence space
slack.channel\t\t\tDefault Slack channel, such as general
github.repository\t\t\tDefault GitHub repository, as owner/name
bitbucket.repository\t\t\tDefault Bitbucket repository
google-calendar.calendar\t\t\tDefault Google calendar
airtable.base\t\t\tDefault Airtable base
atlassian.client-id\t\t\tYour OAuth client ID for Jira and Confluence
atlassian.client-secret\t\t\tSecret of that OAuth client
bitbucket.client-id\t\t\tYour OAuth client ID for Bitbucket
bitbucket.client-secret\t\t\tSecret of that OAuth client
slack.client-id\t\t\tYour OAuth client ID for Slack
slack.client-secret\t\t\tSecret of that OAuth client
github.client-id\t\t\tYour OAuth client ID for GitHub
github.client-secret\t\t\tSecret of that OAuth client
google.client-id\t\t\tYour OAuth client ID for Gmail, Google Calendar, Docs, Sheets and Drive
google.client-secret\t\t\tSecret of that OAuth client
notion.client-id\t\t\tYour OAuth client ID for Notion
notion.client-secret\t\t\tSecret of that OAuth client
airtable.client-id\t\t\tYour OAuth client ID for Airtable
airtable.client-secret\t\t\tSecret of that OAuth client
hubspot.client-id\t\t\tYour OAuth client ID for HubSpot
hubspot.client-secret\t\t\tSecret of that OAuth client
linkedin.client-id\t\t\tYour OAuth client ID for LinkedIn
linkedin.client-secret\t\t\tSecret of that OAuth client
kyg.client-id\t\t\tYour OAuth client ID for kyg
kyg.client-secret\t\t\tSecret of that OAuth client
github.url\t\t\tURL of your GitHub Enterprise
slack.sign-in\t\t\tSign-in to Slack: consent, or a token that you paste
github.sign-in\t\t\tSign-in to GitHub: consent, or a token that you paste
notion.sign-in\t\t\tSign-in to Notion: consent, or a token that you paste
airtable.sign-in\t\t\tSign-in to Airtable: consent, or a token that you paste
hubspot.sign-in\t\t\tSign-in to HubSpot: consent, or a token that you paste
kyg.authorize-url\t\t\tConsent page of kyg
kyg.token-url\t\t\tToken endpoint of kyg
kyg.api-url\t\t\tAPI of kyg
kyg.scopes\t\t\tScopes to request from kyg, separated by spaces
`,
    stderr: "",
  });
});

test("a secret is read from stdin, and never shown", async () => {
  const ann = machine();
  for (const line of ["config set atlassian.client-secret", "config set atlassian.client-secret -"]) {
    expect(await ann(line, { stdin: "s3cret\n" })).toEqual({
      exit: 0,
      stdout: "",
      stderr: "Set atlassian.client-secret in profile default.\n",
    });
  }
  expect(await settings(ann.folder)).toEqual({ profiles: { default: { "atlassian.client-secret": "s3cret" } } });
  expect(await ann("config get atlassian.client-secret")).toEqual({ exit: 0, stdout: "********\n", stderr: "" });
  for (const line of ["config list", "config list --json", "config get atlassian.client-secret --json"])
    expect(await ann(line)).not.toMatchObject({ stdout: expect.stringContaining("s3cret") });
  expect(await ann("config set atlassian.client-secret other")).toEqual({
    exit: 0,
    stdout: "",
    stderr:
      "! Secrets on the command line end up in your shell history. Omit the value to read it from stdin.\nSet atlassian.client-secret in profile default.\n",
  });
});

test.for([
  ["nothing on stdin", {}],
  ["an empty line", { stdin: "\n" }],
  ["C08 a terminal in CI", { terminal: true, env: { CI: "1", NO_COLOR: "1" } }],
] as const)("config set without a value and with %s is a usage error", async ([, setting]) => {
  expect(await machine()("config set model", setting)).toEqual({
    exit: 2,
    stdout: "",
    stderr: "✗ No value given.\n  Pass it as an argument, or pass a secret on stdin.\n",
  });
});

test("config says when the environment overrides a value", async () => {
  expect(await machine({ KAY_MODEL: "offline" })("config set model openai:gpt-5")).toEqual({
    exit: 0,
    stdout: "",
    stderr: "! KAY_MODEL is also set and overrides the profile.\nSet model in profile default.\n",
  });
});

test.for([
  ["config get modle", 'Unknown setting "modle".', "Did you mean model?"],
  ["config set modle x", 'Unknown setting "modle".', "Did you mean model?"],
  ["config unset everything", 'Unknown setting "everything".', "Run `kay config list` to list every setting."],
  ["config set credentials paper", "credentials: The value must be auto, keychain or file.", ""],
  ["config set allow-insecure perhaps", "allow-insecure: The value must be true or false.", ""],
  ["config get", "Missing required argument 'key'.", "Run `kay help config`."],
  [
    "config list --profile Work",
    '"Work" is not a valid profile name.',
    "Use up to 32 lowercase letters, digits and hyphens, starting with a letter or digit.",
  ],
])("%s is a usage error", async ([line = "", sentence, hint]) => {
  expect(await machine()(line)).toEqual({ exit: 2, stdout: "", stderr: `✗ ${sentence}\n${hint ? `  ${hint}\n` : ""}` });
});
