import type { Hono } from "hono";
import { html } from "hono/html";
import { getPageHeaders, renderSandboxPage } from "../oauth/consent.ts";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { parseLittle } from "./posts.ts";
import type { LinkedinState } from "./state.ts";

/** Where the links in answers lead: `/feed/update/<urn>/`, a read-only page for a person. */
export function registerWebPages(app: Hono<SandboxEnv>, place: ProviderContext<LinkedinState>): void {
  app.get("/feed/update/:urn/", (c) => {
    const { members, posts } = place.world();
    const post = posts.find(({ id }) => id === c.req.param("urn"));
    if (!post) return c.notFound();
    const name = (sub: string) => {
      const member = members.find((one) => one.sub === sub);
      return member ? `${member.given_name} ${member.family_name}`.trim() : "somebody";
    };
    const facts = {
      Posted: post.publishedAt.slice(0, 10),
      "Seen by": post.visibility === "CONNECTIONS" ? "connections" : "everybody",
      Link: post.article ? `${post.article.title} (${post.article.source})` : "none",
      Reactions:
        post.reactions.map(({ actor, reactionType }) => `${name(actor)}: ${reactionType}`).join(", ") || "none",
    };
    const list = html`<dl>${Object.entries(facts).map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}</dl>`;
    const comments = post.comments.map(
      ({ actor, text, created }) => html`<h2>${name(actor)}, ${created.slice(0, 10)}</h2><article>${text}</article>`,
    );
    const title = `A post of ${name(post.author)}`;
    const content = html`<h1>${title}</h1><article>${parseLittle(post.commentary)}</article>${list}${comments}`;
    return c.html(renderSandboxPage(title, content), 200, getPageHeaders());
  });
}
