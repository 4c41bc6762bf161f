import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { getPageHeaders, renderSandboxPage } from "../oauth/consent.ts";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
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
    const comments = issue.comments.map(
      ({ author, created, body }) =>
        html`<h2>${getName(provider, author)}, ${formatDay(created)}</h2><article>${getAdfText(body)}</article>`,
    );
    return format(
      c,
      `${issue.key}: ${issue.summary}`,
      facts,
      issue.description ? getAdfText(issue.description) : "No description.",
      comments,
    );
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
    const comments = page.comments.map(
      ({ author, created, body }) =>
        html`<h2>${getName(provider, author)}, ${formatDay(created)}</h2><article>${getStorageText(parseStorage(body))}</article>`,
    );
    return format(c, page.title, facts, getPageText(page), comments);
  });
}

function format(
  c: Context<SandboxEnv>,
  title: string,
  facts: Record<string, string>,
  text: string,
  more: ReturnType<typeof html>[],
) {
  const list = html`<dl>${Object.entries(facts).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
  return c.html(
    renderSandboxPage(title, html`<h1>${title}</h1>${list}<article>${text}</article>${more}`),
    200,
    getPageHeaders(),
  );
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
