import { expect, test } from "vitest";
import { buildState, PROVIDERS, type ProviderName } from "#sandbox/seed";
import { paragraph, sandbox } from "./stand-in.ts";

const GOOGLE_SCOPES = ["gmail.modify", "calendar.events", "calendar.readonly", "drive", "documents", "spreadsheets"]
  .map((scope) => `https://www.googleapis.com/auth/${scope}`)
  .join(" ");
const ATLASSIAN_SCOPES =
  "read:jira-work write:jira-work read:page:confluence write:page:confluence write:comment:confluence offline_access";

type Client = Awaited<ReturnType<ReturnType<typeof sandbox>["signIn"]>>;
/** A part of a world: only what the writes below look up. */
type Part = { id: string; sub: string; data_source_id: string; tables: { id: string }[]; pages: { id: string }[] };
type World = Record<string, Part[]>;

/** A sign-in at each provider, an unusual stored value, and a request that needs the token. */
const CASES: Record<
  ProviderName,
  { scope: string; write(client: Client, world: World): Promise<unknown>; read: string }
> = {
  slack: {
    scope: "chat:write,channels:read,reactions:write",
    async write({ call }, { channels }) {
      const channel = channels?.[0]?.id;
      const { body } = await call("/api/chat.postMessage", { method: "POST", json: { channel, text: " *x* \n" } });
      const timestamp = body.ts;
      return call("/api/reactions.add", { method: "POST", json: { channel, timestamp, name: "+1" } });
    },
    read: "/api/auth.test",
  },
  github: {
    scope: "repo",
    async write({ call }) {
      const json = { title: " <b> ", body: "", labels: [" new label"], assignees: [] };
      const { body } = await call("/repos/kay-demo/kay-docs/issues", { method: "POST", json });
      return call(`/repos/kay-demo/kay-docs/issues/${body.number}`, { method: "PATCH", json: { state: "closed" } });
    },
    read: "/user",
  },
  google: {
    scope: GOOGLE_SCOPES,
    async write({ call }) {
      await call("/drive/v3/files", { method: "POST", json: { name: "" } });
      const { body: sheet } = await call("/v4/spreadsheets", { method: "POST", json: { properties: { title: "" } } });
      const values = [[true, null, "", 7, "007"], []];
      const range = `/v4/spreadsheets/${sheet.spreadsheetId}/values/A1:E2?valueInputOption=RAW`;
      await call(range, { method: "PUT", json: { values } });
      await call("/v1/documents", { method: "POST", json: { title: "" } });
      const time = { dateTime: "2026-12-01T10:00:00+01:00" };
      const event = { start: time, end: time, attendees: [{ email: "x@example.com" }] };
      await call("/calendar/v3/calendars/primary/events", { method: "POST", json: event });
      const raw = Buffer.from("To: sam@example.com\r\nSubject:\r\n\r\n").toString("base64url");
      await call("/gmail/v1/users/me/drafts", { method: "POST", json: { message: { raw } } });
      return call("/gmail/v1/users/me/messages/send", { method: "POST", json: { raw } });
    },
    read: "/gmail/v1/users/me/labels",
  },
  notion: {
    scope: "",
    async write({ call }, { pages, databases }) {
      const parent = { page_id: pages?.[0]?.id };
      const headers = { "notion-version": "2026-03-11" };
      await call("/v1/pages", { method: "POST", headers, json: { parent, properties: {} } });
      await call("/v1/comments", { method: "POST", headers, json: { parent, rich_text: [] } });
      const data_source_id = databases?.[0]?.data_source_id;
      return call("/v1/pages", { method: "POST", headers, json: { parent: { data_source_id }, properties: {} } });
    },
    read: "/v1/users/me",
  },
  airtable: {
    scope: "data.records:read data.records:write schema.bases:read",
    async write({ call }, { bases }) {
      const base = bases?.[0];
      return call(`/v0/${base?.id}/${base?.tables[0]?.id}`, { method: "POST", json: { fields: {} } });
    },
    read: "/v0/meta/bases",
  },
  hubspot: {
    scope: "oauth crm.objects.contacts.read crm.objects.contacts.write",
    write: ({ call }) => call("/crm/v3/objects/contacts", { method: "POST", json: { properties: { firstname: "" } } }),
    read: "/crm/v3/objects/contacts",
  },
  linkedin: {
    scope: "openid profile w_member_social",
    async write({ call }, { members }) {
      const author = `urn:li:person:${members?.[0]?.sub}`;
      const distribution = { feedDistribution: "MAIN_FEED" };
      const json = { author, commentary: "", visibility: "PUBLIC", distribution, lifecycleState: "PUBLISHED" };
      const headers = { "linkedin-version": "202511", "x-restli-protocol-version": "2.0.0" };
      return call("/rest/posts", { method: "POST", headers, json });
    },
    read: "/v2/userinfo",
  },
  bitbucket: {
    scope: "account pullrequest:write repository",
    async write({ call }) {
      const path = "/2.0/repositories/kay-demo/kay-cli/pullrequests";
      const { body } = await call(`${path}?state=OPEN`);
      const id = body.values[0].id;
      await call(`${path}/${id}`, { method: "PUT", json: { title: body.values[0].title, description: "" } });
      return call(`${path}/${id}/merge`, { method: "POST", json: { close_source_branch: true } });
    },
    read: "/2.0/user",
  },
  atlassian: {
    scope: ATLASSIAN_SCOPES,
    async write({ jira, wiki }, { sites }) {
      await jira("/issue/KAY-3", { method: "PUT", json: { fields: { labels: [], duedate: null, description: null } } });
      await jira("/issue/KAY-3/comment", { method: "POST", json: { body: paragraph(" ") } });
      const body = { representation: "storage", value: "" };
      return wiki("/api/v2/footer-comments", { method: "POST", json: { pageId: sites?.[0]?.pages[0]?.id, body } });
    },
    read: "/oauth/token/accessible-resources",
  },
};

test.each(Object.keys(CASES) as ProviderName[])(
  "B251 world and tokens of %s continue after a restart",
  async (name) => {
    const { scope, write, read } = CASES[name];
    let saved: unknown;
    const warnings: string[] = [];
    const ports = {
      save: (state: unknown) => {
        saved = JSON.parse(JSON.stringify(state));
      },
      warn: (sentence: string) => void warnings.push(sentence),
    };
    const first = sandbox(ports);
    const state = async (sandbox: typeof first) => (await sandbox.ask(name, "/_sandbox/state")).body;
    const client = await first.signIn(name, scope);
    const { status, text } = (await write(client, await state(first))) as { status: number; text: string };
    expect([status, text]).toEqual([expect.closeTo(200, -1), expect.any(String)]);
    await Promise.resolve();
    const second = sandbox({ ...ports, saved });
    expect(await state(second)).toEqual(await state(first));
    expect(warnings).toEqual([]);
    const headers = { "notion-version": "2026-03-11" };
    expect((await second.ask(name, read, { token: client.token, headers })).status).toBe(200);
    const json = await state(second);
    expect((await second.ask(name, "/_sandbox/state", { method: "PUT", json })).status).toBe(200);
  },
);

test.each<[ProviderName, object]>([
  [
    "slack",
    {
      users: [
        { name: "ann", real_name: "Ann" },
        { name: "b", real_name: "Bot", is_bot: true },
      ],
      channels: [{ name: "general" }],
    },
  ],
  [
    "github",
    { users: [{ login: "ann", name: "Ann", email: "a@example.com" }], repositories: [{ owner: "ann", name: "r" }] },
  ],
  ["google", { accounts: [{ id: "1", name: "Ann", email: "a@example.com" }], files: [{ name: "F", owner: "Ann" }] }],
  ["notion", { users: [{ name: "Ann", email: "a@example.com" }], pages: [{ title: "P" }] }],
  ["airtable", { accounts: [{ name: "Ann", email: "a@example.com" }], bases: [{ name: "B" }] }],
  ["hubspot", { owners: [{ email: "a@example.com", firstName: "Ann" }], deals: [{ properties: { dealname: "D" } }] }],
  ["linkedin", { members: [{ sub: "1", given_name: "Ann", email: "a@example.com" }] }],
  [
    "bitbucket",
    {
      accounts: [{ account_id: "1", display_name: "Ann", nickname: "ann", email: "a@example.com" }],
      workspaces: [{ slug: "w", repositories: [{ slug: "r" }] }],
    },
  ],
  [
    "atlassian",
    {
      accounts: [{ accountId: "1", displayName: "Ann", emailAddress: "a@example.com" }],
      sites: [
        {
          name: "S",
          projects: [{ key: "AB", name: "A" }],
          issues: [{ key: "AB-1", summary: "x" }],
          spaces: [{ key: "D", name: "D" }],
          pages: [{ space: "D", title: "T" }],
        },
      ],
    },
  ],
])("B251 the world of a small seed of %s is a seed itself", (name, seed) => {
  const [now, provider] = [Date.parse("2026-11-20T09:00:00Z"), PROVIDERS[name]];
  const world = JSON.parse(JSON.stringify(buildState(provider, seed, now, "The seed")));
  expect(JSON.parse(JSON.stringify(buildState(provider, world, now, "The state")))).toEqual(world);
});

test("a world that is set aside is named with the reason, and connections to it stay", async () => {
  let saved = { origins: { slack: { world: {} } } };
  const save = (state: unknown) => {
    saved = JSON.parse(JSON.stringify(state));
  };
  const { token } = await sandbox({ save }).signIn("slack", "channels:read");
  await Promise.resolve();
  const savedCopy = structuredClone(saved);
  saved.origins.slack.world = { users: 7 };
  Object.assign(saved.origins, { github: 7 });
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  const second = sandbox({ saved, warn });
  expect((await second.ask("slack", "/api/auth.test", { token })).body.ok).toBe(true);
  await second.ask("github", "/user");
  expect(warnings).toEqual([
    "The sandbox set the saved world of Slack aside and starts with a fresh one. The state is wrong at slack.users: it must be a list.",
    "The sandbox set the saved world of GitHub aside and starts with a fresh one. It is damaged.",
  ]);
  warnings.length = 0;
  const seed = { slack: { users: [{ name: "ann", real_name: "Ann" }] } };
  expect((await sandbox({ saved: savedCopy, seed, warn }).ask("slack", "/api/auth.test", { token })).body.ok).toBe(
    false,
  );
  sandbox({ saved: "{", warn });
  expect(warnings).toEqual([
    "The sandbox set the saved world of Slack aside and starts with a fresh one. It grew from another seed.",
    "The sandbox set its saved worlds aside and starts afresh: they cannot be read.",
  ]);
});
