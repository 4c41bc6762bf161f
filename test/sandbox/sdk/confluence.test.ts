import { createV2Client } from "confluence.js";
import { expect, test } from "vitest";
import { catchFailure, serveSandbox } from "./served.ts";

const READ = "read:page:confluence read:space:confluence read:comment:confluence";

/** confluence.js checks every answer against Atlassian's own description of the API. */
async function createClient(scope = `${READ} write:page:confluence write:comment:confluence delete:page:confluence`) {
  const world = await serveSandbox("atlassian");
  const { token, cloudId } = await world.signIn("atlassian", scope);
  const host = `${world.url}/ex/confluence/${cloudId}`;
  return createV2Client({ host, auth: { type: "bearer", token } });
}

test("confluence.js reads pages by their cursor", async () => {
  const confluence = await createClient();
  const all = await confluence.page.getPages({ bodyFormat: "storage" });
  const ids: (string | undefined)[] = [];
  let cursor: string | undefined;
  do {
    const page = await confluence.page.getPages({ limit: 2, ...(cursor ? { cursor } : {}) });
    ids.push(...(page.results ?? []).map(({ id }) => id));
    cursor = new URLSearchParams(page._links?.next?.split("?")[1]).get("cursor") ?? undefined;
  } while (cursor);
  expect(ids).toEqual(all.results?.map(({ id }) => id));
  expect(ids.length).toBeGreaterThan(2);
  expect((await confluence.space.getSpaces({})).results?.length).toBeGreaterThan(0);
});

test("confluence.js creates a page, changes it, comments on it and deletes it", async () => {
  const confluence = await createClient();
  const spaceId = (await confluence.space.getSpaces({})).results?.[0]?.id ?? "";
  const body = (value: string) => ({ representation: "storage" as const, value });
  const page = await confluence.page.createPage({
    body: { spaceId, title: "Colours", body: body("<p>Blue?</p>") },
  });
  const id = page.id ?? "";
  expect(page).toMatchObject({ title: "Colours", spaceId, status: "current", version: { number: 1 } });
  const status = "current";
  const update = { id, status, title: "Colours", body: body("<p>Green.</p>"), version: { number: 2 } };
  expect(await confluence.page.updatePage({ id: Number(id), body: update })).toMatchObject({
    id,
    version: { number: 2 },
  });
  const comment = { pageId: id, body: body("<p>Good.</p>") };
  expect(await confluence.comment.createFooterComment(comment)).toMatchObject({ pageId: id });
  expect((await confluence.comment.getPageFooterComments({ id: Number(id) })).results).toHaveLength(1);
  await confluence.page.deletePage({ id: Number(id) });
});

test("confluence.js reports a missing page and a missing scope", async () => {
  const confluence = await createClient();
  expect(await catchFailure(confluence.page.getPageById({ id: 1 }))).toMatchObject({ status: 404 });
  const reader = await createClient(READ);
  const request = { body: { spaceId: "1", title: "x" } };
  expect(await catchFailure(reader.page.createPage(request))).toMatchObject({ status: 401 });
});
