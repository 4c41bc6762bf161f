import type { Hono } from "hono";
import { html } from "hono/html";
import { getPageHeaders, renderSandboxPage } from "../oauth/consent.ts";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { isIm, type Reply, type SlackState } from "./state.ts";

/** Where the links in answers lead: the workspace, `/archives/<channel>` and `/archives/<channel>/p<ts>`, read-only pages for a person. */
export function registerWebPages(app: Hono<SandboxEnv>, place: ProviderContext<SlackState>): void {
  const name = (id: string) => place.world().users.find((user) => user.id === id)?.real_name ?? id;
  const block = ({ user, ts, text }: Reply) => {
    const time = new Date(Number(ts) * 1000).toISOString().slice(0, 16).replace("T", " ");
    return html`<h2 id="p${ts.replace(".", "")}">${name(user)}, ${time}</h2><article>${text}</article>`;
  };
  app.get("/", (c) => {
    const { team, channels } = place.world();
    const open = channels.filter(({ is_private, is_archived }) => !is_private && !is_archived);
    const list = html`<ul>${open.map(({ id, name }) => html`<li><a href="/archives/${id}">#${name}</a></li>`)}</ul>`;
    return c.html(renderSandboxPage(team.name, html`<h1>${team.name}</h1>${list}`), 200, getPageHeaders());
  });
  app.get("/archives/:channel/:message?", (c) => {
    const { channels, ims } = place.world();
    const found = [...channels, ...ims].find(({ id }) => id === c.req.param("channel"));
    if (!found) return c.notFound();
    const wanted = c.req.param("message")?.replace(/^p(\d{10})(\d{6})$/, "$1.$2");
    const isIt = (message: Reply) => wanted === undefined || message.ts === wanted;
    const shown = found.messages.filter((root) => isIt(root) || root.replies.some(isIt));
    if (wanted !== undefined && shown.length === 0) return c.notFound();
    const title = isIm(found) ? found.users.map(name).join(" and ") : `#${found.name}`;
    const blocks = shown.map((root) => html`${block(root)}${root.replies.map(block)}`);
    return c.html(renderSandboxPage(title, html`<h1>${title}</h1>${blocks}`), 200, getPageHeaders());
  });
}
