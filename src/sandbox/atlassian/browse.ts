import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { pageHeaders, sandboxPage } from "../oauth/consent.ts";
import type { Place, SandboxEnv } from "../provider.ts";
import { pageText } from "./confluence/cql.ts";
import { parseStorage, storageText } from "./confluence/storage.ts";
import { adfText } from "./jira/adf.ts";
import type { AtlassianWorld } from "./world.ts";

/**
 * Where the links in answers lead: `/sites/<name>/browse/KAY-3` and `/sites/<name>/wiki/spaces/…/pages/<id>`, read-only pages for a person
 * who wants to look at what kay did.
 */
export function browse(app: Hono<SandboxEnv>, place: Place<AtlassianWorld>): void {
  app.get("/sites/:site/browse/:key", (c) => {
    const issue = siteOf(c, place)?.issues.find(({ key }) => key === c.req.param("key"));
    if (!issue) return c.notFound();
    const facts = {
      Type: issue.issuetype,
      Status: issue.status,
      Priority: issue.priority,
      Assignee: nameOf(place, issue.assignee),
      Labels: issue.labels.join(", ") || "none",
    };
    const comments = issue.comments.map(
      ({ author, created, body }) =>
        html`<h2>${nameOf(place, author)}, ${day(created)}</h2><article>${adfText(body)}</article>`,
    );
    return shown(
      c,
      `${issue.key}: ${issue.summary}`,
      facts,
      issue.description ? adfText(issue.description) : "No description.",
      comments,
    );
  });
  app.get("/sites/:site/wiki/spaces/:space/pages/:id/:title?", (c) => {
    const page = siteOf(c, place)?.pages.find(({ id }) => id === c.req.param("id"));
    if (!page) return c.notFound();
    const facts = {
      Space: page.space,
      Version: String(page.version),
      Author: nameOf(place, page.author),
      Changed: day(page.updated),
    };
    const comments = page.comments.map(
      ({ author, created, body }) =>
        html`<h2>${nameOf(place, author)}, ${day(created)}</h2><article>${storageText(parseStorage(body))}</article>`,
    );
    return shown(c, page.title, facts, pageText(page), comments);
  });
}

function shown(
  c: Context<SandboxEnv>,
  title: string,
  facts: Record<string, string>,
  text: string,
  more: ReturnType<typeof html>[],
) {
  const list = html`<dl>${Object.entries(facts).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
  return c.html(
    sandboxPage(title, html`<h1>${title}</h1>${list}<article>${text}</article>${more}`),
    200,
    pageHeaders(),
  );
}

function siteOf(c: Context<SandboxEnv>, place: Place<AtlassianWorld>) {
  return place.world().sites.find(({ name }) => name === c.req.param("site"));
}

function nameOf(place: Place<AtlassianWorld>, id: string | null): string {
  return place.world().accounts.find(({ accountId }) => accountId === id)?.displayName ?? "nobody";
}

function day(iso: string): string {
  return iso.slice(0, 10);
}
