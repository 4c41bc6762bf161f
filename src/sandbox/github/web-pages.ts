import type { Hono } from "hono";
import { html } from "hono/html";
import { getPageHeaders, renderSandboxPage } from "../oauth/consent.ts";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { type GithubState, isPullRequest } from "./state.ts";

/** Where the links in answers lead: `/<owner>/<repository>` and `/<owner>/<repository>/issues/<number>`, read-only pages for a person. */
export function registerWebPages(app: Hono<SandboxEnv>, place: ProviderContext<GithubState>): void {
  const repositoryOf = (owner: string, name: string) =>
    place.world().repositories.find((one) => one.owner === owner && one.name === name);
  const nameOf = (login: string) => place.world().users.find((user) => user.login === login)?.name ?? login;
  app.get("/:owner/:repo", (c) => {
    const repository = repositoryOf(c.req.param("owner"), c.req.param("repo"));
    if (!repository) return c.notFound();
    const { owner, name, description, issues, pull_requests } = repository;
    const title = `${owner}/${name}`;
    const list = [...issues, ...pull_requests].map((one) => {
      const kind = isPullRequest(one) ? "pull" : "issues";
      return html`<li><a href="/${owner}/${name}/${kind}/${one.number}">#${one.number} ${one.title}</a> (${one.state})</li>`;
    });
    const content = html`<h1>${title}</h1><article>${description}</article><ul>${list}</ul>`;
    return c.html(renderSandboxPage(title, content), 200, getPageHeaders());
  });
  app.get("/:owner/:repo/:kind{issues|pull}/:number{[0-9]+}", (c) => {
    const repository = repositoryOf(c.req.param("owner"), c.req.param("repo"));
    const all = [...(repository?.issues ?? []), ...(repository?.pull_requests ?? [])];
    const issue = all.find(({ number }) => String(number) === c.req.param("number"));
    if (!issue) return c.notFound();
    const facts = {
      State: isPullRequest(issue) && issue.merged ? "merged" : issue.state,
      Author: nameOf(issue.user),
      Assignees: issue.assignees.map(nameOf).join(", ") || "nobody",
      Labels: issue.labels.join(", ") || "none",
    };
    const list = html`<dl>${Object.entries(facts).map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}</dl>`;
    const comments = issue.comments.map(
      ({ id, user, body, created_at }) =>
        html`<h2 id="issuecomment-${id}">${nameOf(user)}, ${created_at.slice(0, 10)}</h2><article>${body}</article>`,
    );
    const title = `#${issue.number} ${issue.title}`;
    const content = html`<h1>${title}</h1>${list}<article>${issue.body}</article>${comments}`;
    return c.html(renderSandboxPage(title, content), 200, getPageHeaders());
  });
}
