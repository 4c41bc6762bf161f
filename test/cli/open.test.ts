import { expect, test } from "vitest";
import { isOwnLink } from "#cli/commands/open/run";
import type { ServiceView } from "#protocol/tools";
import { parseDocument, useKay } from "#test/kay";

const kay = useKay();

test("kay open opens an issue at its service", async () => {
  const ann = kay({ signedIn: true, env: { BROWSER: "firefox" } });
  const launchCount = ann.launched.length;
  const { exit } = await ann("open kay-1");
  const { stdout } = ann.raw();
  expect(exit).toBe(0);
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:4010\/\S*\/browse\/KAY-1\n$/);
  expect(ann.launched.slice(launchCount)).toEqual([{ command: "firefox", args: [stdout.trim()] }]);
});

test("--no-browser prints only the link, and --json says that nothing was opened", async () => {
  const ann = kay({ signedIn: true, env: { BROWSER: "firefox" } });
  const launchCount = ann.launched.length;
  expect(await ann("open KAY-1 --no-browser")).toMatchObject({ exit: 0, stderr: "" });
  expect(parseDocument(await ann("open KAY-1 --json --no-browser"))).toMatchObject({ service: "jira", opened: false });
  expect(ann.launched.length).toBe(launchCount);
});

test("words of a change open its latest link, and match only whole words", async () => {
  const ann = kay({ signedIn: true });
  await ann(["tools", "call", "jira.create_issue", "--field", "project=KAY", "--field", "summary=Paint the shed"]);
  const latest = parseDocument(await ann("open latest --json --no-browser"));
  expect(parseDocument(await ann(["open", "the shed", "--json", "--no-browser"]))).toEqual(latest);
  const { exit, stderr } = await ann("open she");
  expect([exit, stderr]).toEqual([1, expect.stringContaining('Nothing that kay changed matches "she".')]);
});

test("an object that the service does not have fails with its reason", async () => {
  const { exit, stderr } = await kay({ signedIn: true })("open KAY-9999");
  expect([exit, stderr]).toEqual([1, expect.stringContaining("Issue does not exist")]);
});

const JIRA = {
  name: "jira",
  metadata: { url: "https://acme.atlassian.net" },
  client: { authorize_url: "https://auth.atlassian.com/authorize" },
} as ServiceView;
const NOTION = {
  name: "notion",
  client: { authorize_url: "https://api.notion.com/v1/oauth/authorize" },
} as ServiceView;
const LOCAL = { name: "jira", metadata: { url: "http://127.0.0.1:4010/sites/kay-demo" } } as ServiceView;
const BRITISH = { name: "own", base_url: "https://api.acme.co.uk" } as ServiceView;

test.for<[string, ServiceView, boolean]>([
  ["https://acme.atlassian.net/browse/KAY-1", JIRA, true],
  ["http://acme.atlassian.net/browse/KAY-1", JIRA, false],
  ["https://acme.atlassian.net.evil.example/browse/KAY-1", JIRA, false],
  ["https://acme.atlassian.net@evil.example/", JIRA, false],
  ["https://evil.example/", JIRA, false],
  ["http://127.0.0.1:4010/x", JIRA, false],
  ["javascript:alert(1)", JIRA, false],
  ["file:///etc/passwd", JIRA, false],
  ["https://www.notion.so/Page-1", NOTION, true],
  ["http://127.0.0.1:4010/browse/KAY-1", LOCAL, true],
  ["http://127.0.0.1:4011/browse/KAY-1", LOCAL, false],
  ["https://shop.acme.co.uk/1", BRITISH, true],
  ["https://evil.co.uk/1", BRITISH, false],
])("%s is opened: %j %s", ([link, service, isOwn]) => {
  expect(isOwnLink(link, service)).toBe(isOwn);
});
