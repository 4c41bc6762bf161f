import type { Hono } from "hono";
import { html } from "hono/html";
import { getPageHeaders, renderSandboxPage } from "../oauth/consent.ts";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import type { BitbucketState } from "./state.ts";

/** Where the links in answers lead: `/<workspace>/<repository>/pull-requests/<id>`, a read-only page for a person. */
export function registerWebPages(app: Hono<SandboxEnv>, place: ProviderContext<BitbucketState>): void {
  app.get("/:workspace/:repository/pull-requests/:id", (c) => {
    const workspace = place.world().workspaces.find(({ slug }) => slug === c.req.param("workspace"));
    const repository = workspace?.repositories.find(({ slug }) => slug === c.req.param("repository"));
    const request = repository?.pull_requests.find(({ id }) => String(id) === c.req.param("id"));
    if (!request) return c.notFound();
    const name = (id: string) =>
      place.world().accounts.find(({ account_id }) => account_id === id)?.display_name ?? "nobody";
    const facts = {
      State: request.state,
      Author: name(request.author),
      Branches: `${request.source} → ${request.destination}`,
      "Approved by": request.approved_by.map(name).join(", ") || "nobody",
    };
    const list = html`<dl>${Object.entries(facts).map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}</dl>`;
    const comments = request.comments.map(
      ({ user, created_on, raw }) => html`<h2>${name(user)}, ${created_on.slice(0, 10)}</h2><article>${raw}</article>`,
    );
    const title = `#${request.id} ${request.title}`;
    return c.html(
      renderSandboxPage(title, html`<h1>${title}</h1>${list}<article>${request.description}</article>${comments}`),
      200,
      getPageHeaders(),
    );
  });
}
