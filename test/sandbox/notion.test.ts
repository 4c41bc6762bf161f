import { expect, test } from "vitest";
import { NOTION, sandbox } from "./stand-in.ts";

const HEADERS = { "notion-version": "2026-03-11" };
const DANA = "0d4a7e52-6f0b-4c39-9a51-3f2c8f1d0a01";

async function signIn(scope = "", account?: string) {
  const world = sandbox();
  const { call, refresh, token } = await world.signIn("notion", scope, account);
  const ask = (method: string, path: string, json?: unknown) =>
    call(`/v1${path}`, { method, headers: HEADERS, ...(json === undefined ? {} : { json }) });
  const find = async (query: string) => (await ask("POST", "/search", { query })).body.results[0];
  return { world, call, ask, find, refresh, token };
}

const paragraph = (content: string) => ({
  type: "paragraph",
  paragraph: { rich_text: [{ type: "text", text: { content } }] },
});

test("the token endpoint takes JSON with HTTP Basic, names no expiry, and each refresh spends the refresh token", async () => {
  const world = sandbox();
  const { id, secret } = world.clients.notion;
  const json = {
    grant_type: "authorization_code",
    code: await world.code("notion", ""),
    redirect_uri: "http://127.0.0.1:4000/auth/callback",
  };
  const headers = { authorization: `Basic ${btoa(`${id}:${secret}`)}` };
  const { body } = await world.ask("notion", "/v1/oauth/token", { method: "POST", headers, json });
  expect(body).toEqual({
    access_token: expect.any(String),
    token_type: "bearer",
    refresh_token: expect.any(String),
    bot_id: expect.any(String),
    workspace_icon: null,
    owner: { type: "user", user: { object: "user", id: DANA } },
    duplicated_template_id: null,
  });
  const refresh = { grant_type: "refresh_token", refresh_token: body.refresh_token };
  expect((await world.exchange("notion", refresh)).body.refresh_token).not.toBe(body.refresh_token);
  const spent = await world.exchange("notion", refresh);
  expect([spent.status, spent.body.error]).toEqual([400, "invalid_grant"]);
});

test("a request without a version, with an expired token or without the capability is refused like Notion does", async () => {
  const { call, ask } = await signIn("read_content");
  const me = await call("/v1/users/me");
  expect([me.status, me.body.object, me.body.code]).toEqual([400, "error", "missing_version"]);
  expect((await call("/v1/users/me", { headers: HEADERS, token: "x" })).body).toMatchObject({
    status: 401,
    code: "unauthorized",
    message: "API token is invalid.",
  });
  expect((await ask("GET", "/users")).body.code).toBe("restricted_resource");
  expect((await ask("GET", "/users/me")).body).toMatchObject({
    type: "bot",
    bot: { owner: { type: "user", user: { id: DANA } }, workspace_name: "Kay Demo" },
  });
  expect((await ask("GET", "/pages/00000000-0000-4000-a000-000000000000")).body.code).toBe("object_not_found");
});

test.each([
  [
    { children: [paragraph("a".repeat(2_001))] },
    "body.children[0].paragraph.rich_text[0].text.content.length should be ≤ `2000`, instead was `2001`.",
  ],
  [
    { children: Array.from({ length: 101 }, () => paragraph("a")) },
    "body.children.length should be ≤ `100`, instead was `101`.",
  ],
  [
    { children: [paragraph("\ud83d")] },
    "body.children[0].paragraph.rich_text[0].text.content should be well-formed Unicode.",
  ],
  [{ children: [{ type: "poem", poem: {} }] }, 'body.children[0].type should be a block type, instead was `"poem"`.'],
  [{}, "body.children should be an array, instead was `undefined`."],
])("a request beyond Notion's limits is refused with the place (%#)", async (json, message) => {
  const { ask, find } = await signIn();
  const { id } = await find("onboarding");
  const answer = await ask("PATCH", `/blocks/${id}/children`, json);
  expect([answer.status, answer.body.code, answer.body.message]).toEqual([
    400,
    "validation_error",
    `body failed validation: ${message}`,
  ]);
});

test("a page is created with its blocks, listed by pages, and is where its links lead", async () => {
  const { world, ask, find } = await signIn();
  const parent = await find("handbook");
  const children = Array.from({ length: 30 }, (_, index) => paragraph(`Line ${index}`));
  const body = { parent: { page_id: parent.id }, properties: { title: [{ text: { content: "Trip" } }] }, children };
  const page = (await ask("POST", "/pages", body)).body;
  expect(page).toMatchObject({
    object: "page",
    parent: { type: "page_id", page_id: parent.id },
    created_by: { id: DANA },
    url: expect.stringMatching(new RegExp(`^${NOTION}/Trip-[0-9a-f]{32}$`)),
  });
  const first = (await ask("GET", `/blocks/${page.id}/children?page_size=20`)).body;
  const second = (await ask("GET", `/blocks/${page.id}/children?page_size=20&start_cursor=${first.next_cursor}`)).body;
  expect([first.results.length, first.has_more, second.results.length, second.has_more]).toEqual([20, true, 10, false]);
  expect(second.results[9]).toMatchObject({
    object: "block",
    type: "paragraph",
    has_children: false,
    paragraph: { rich_text: [{ plain_text: "Line 29" }] },
  });
  expect((await world.ask("notion", page.url)).text).toContain("Line 29");
  expect((await ask("PATCH", `/pages/${page.id}`, { in_trash: true })).body.in_trash).toBe(true);
  expect(await find("trip")).toBeUndefined();
});

test("rows are filtered, sorted and changed; an unknown status is refused", async () => {
  const { ask, find } = await signIn();
  const source = await find("road map");
  expect(source).toMatchObject({ object: "data_source", properties: { Status: { type: "status" } } });
  const query = async (json: unknown) =>
    (await ask("POST", `/data_sources/${source.id}/query`, json)).body.results.map(
      (row: { properties: { Name: { title: { plain_text: string }[] } } }) => row.properties.Name.title[0]?.plain_text,
    );
  const filter = {
    or: [
      { property: "Days", number: { greater_than: 5 } },
      { property: "Owner", people: { contains: DANA } },
    ],
  };
  expect(await query({ filter, sorts: [{ property: "Days", direction: "descending" }] })).toEqual([
    "Write the manual",
    "Login survives a restart",
    "Ask before deleting",
  ]);
  expect(await query({ filter: { property: "Due", date: { is_empty: true } } })).toEqual(["Write the manual"]);
  const row = await find("export");
  const updated = await ask("PATCH", `/pages/${row.id}`, { properties: { Status: { status: { name: "Nowhere" } } } });
  expect(updated.body.message).toBe('Invalid status option. Status option "Nowhere" does not exist in "Status".');
  expect((await ask("POST", `/data_sources/${source.id}/query`, { filter: { property: "X" } })).body.message).toBe(
    "Could not find property with name or id: X",
  );
});
