import type { Context, Hono } from "hono";
import { html } from "hono/html";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { renderEntry, renderFacts, sendWebPage } from "../web-page.ts";
import { getPageText } from "./confluence/cql.ts";
import { getStorageText, parseStorage } from "./confluence/storage.ts";
import { getAdfText } from "./jira/adf.ts";
import type { AtlassianState } from "./state.ts";

/**
 * Read-only pages that links lead to, for users who want to see what kay did: `/sites/<name>/browse/KAY-3` and
 * `/sites/<name>/wiki/spaces/…/pages/<id>`.
 */
export function registerWebPages(app: Hono<SandboxEnv>, provider: ProviderContext<AtlassianState>): void {
  app.get("/sites/:site/browse/:key", (c) => {
    const issue = getSite(c, provider)?.issues.find(({ key }) => key === c.req.param("key"));
    if (!issue) return c.notFound();
    const facts = {
      Type: issue.issuetype,
      Status: issue.status,
      Priority: issue.priority,
      Assignee: getName(provider, issue.assignee),
      Labels: issue.labels.join(", ") || "none",
    };
    const text = issue.description ? getAdfText(issue.description) : "No description.";
    const comments = issue.comments.map(({ author, created, body }) =>
      renderEntry(`${getName(provider, author)}, ${formatDay(created)}`, getAdfText(body)),
    );
    const content = html`${renderFacts(facts)}<article>${text}</article>${comments}`;
    return sendWebPage(c, `${issue.key}: ${issue.summary}`, content);
  });
  app.get("/sites/:site/wiki/spaces/:space/pages/:id/:title?", (c) => {
    const page = getSite(c, provider)?.pages.find(({ id }) => id === c.req.param("id"));
    if (!page) return c.notFound();
    const facts = {
      Space: page.space,
      Version: String(page.version),
      Author: getName(provider, page.author),
      Changed: formatDay(page.updated),
    };
    const comments = page.comments.map(({ author, created, body }) =>
      renderEntry(`${getName(provider, author)}, ${formatDay(created)}`, getStorageText(parseStorage(body))),
    );
    const content = html`${renderFacts(facts)}<article>${getPageText(page)}</article>${comments}`;
    return sendWebPage(c, page.title, content);
  });
}

function getSite(c: Context<SandboxEnv>, provider: ProviderContext<AtlassianState>) {
  return provider.world().sites.find(({ name }) => name === c.req.param("site"));
}

function getName(provider: ProviderContext<AtlassianState>, id: string | null): string {
  return provider.world().accounts.find(({ accountId }) => accountId === id)?.displayName ?? "nobody";
}

function formatDay(iso: string): string {
  return iso.slice(0, 10);
}
