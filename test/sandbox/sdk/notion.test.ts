import { Client, collectPaginatedAPI, iteratePaginatedAPI, LogLevel } from "@notionhq/client";
import { expect, test } from "vitest";
import { REDIRECT } from "../stand-in.ts";
import { catchFailure, serveSandbox } from "./served.ts";

async function createClient(scope = "") {
  const world = await serveSandbox("notion");
  const { id: client_id, secret: client_secret } = world.clients.notion;
  const code = await world.code("notion", scope);
  const { access_token } = await new Client({ baseUrl: world.url }).oauth.token({
    client_id,
    client_secret,
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT,
  });
  return new Client({ auth: access_token, baseUrl: world.url, retry: false, logLevel: LogLevel.ERROR });
}

const text = (content: string) => [{ type: "text" as const, text: { content } }];

test("@notionhq/client reads a search and the people, one at a time", async () => {
  const notion = await createClient();
  const once = await notion.search({});
  const ids: string[] = [];
  for await (const { id } of iteratePaginatedAPI(notion.search, { page_size: 1 })) ids.push(id);
  expect(ids).toEqual(once.results.map(({ id }) => id));
  expect(ids.length).toBeGreaterThan(2);
  expect(await collectPaginatedAPI(notion.users.list, { page_size: 1 })).toMatchObject(
    (await notion.users.list({})).results,
  );
});

test("@notionhq/client creates a page, appends to it, reads it back and comments on it", async () => {
  const notion = await createClient();
  const pages = await notion.search({ filter: { property: "object", value: "page" }, page_size: 1 });
  const parent = { page_id: pages.results[0]?.id ?? "" };
  const page = await notion.pages.create({
    parent,
    properties: { title: { title: text("Colours") } },
    children: [{ paragraph: { rich_text: text("Blue?") } }],
  });
  expect(page).toMatchObject({ object: "page", parent: { type: "page_id", ...parent } });
  await notion.blocks.children.append({ block_id: page.id, children: [{ to_do: { rich_text: text("Decide") } }] });
  expect((await notion.blocks.children.list({ block_id: page.id })).results).toMatchObject([
    { type: "paragraph", paragraph: { rich_text: [{ plain_text: "Blue?" }] } },
    { type: "to_do", to_do: { checked: false, rich_text: [{ plain_text: "Decide" }] } },
  ]);
  const comment = await notion.comments.create({ parent: { page_id: page.id }, rich_text: text("Green") });
  expect(comment).toMatchObject({ object: "comment", rich_text: [{ plain_text: "Green" }] });
});

test("@notionhq/client reports a missing page and an invalid token", async () => {
  const notion = await createClient();
  const page_id = "00000000-0000-4000-8000-000000000000";
  expect(await catchFailure(notion.pages.retrieve({ page_id }))).toMatchObject({
    name: "APIResponseError",
    status: 404,
    code: "object_not_found",
    request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(await catchFailure(notion.users.list({ auth: "ntn_other" }))).toMatchObject({
    status: 401,
    code: "unauthorized",
  });
});
