import type { Hono } from "hono";
import { html } from "hono/html";
import { getPageHeaders, renderSandboxPage } from "../oauth/consent.ts";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { OBJECT_TYPES } from "./properties.ts";
import type { HubspotState } from "./state.ts";
import { listAssociated, listProperties } from "./views.ts";

/** Read-only pages that links lead to: `/contacts/<portal>/record/0-1/<id>` and `0-3`. */
export function registerWebPages(app: Hono<SandboxEnv>, provider: ProviderContext<HubspotState>): void {
  app.get("/contacts/:portal/record/:typeId/:id", (c) => {
    const type = (["contacts", "deals"] as const).find((name) => OBJECT_TYPES[name].typeId === c.req.param("typeId"));
    const world = provider.world();
    const record = type && world[type].find(({ id }) => id === c.req.param("id"));
    if (!type || !record) return c.notFound();
    const properties = listProperties(record, type);
    const title = properties.dealname ?? [properties.firstname, properties.lastname].filter(Boolean).join(" ");
    const facts = Object.entries(properties).map(
      ([name, value]) => html`<dt>${name}</dt><dd>${format(world, name, value)}</dd>`,
    );
    const ids = listAssociated(world, type, record, "notes");
    const notes = world.notes
      .filter(({ id }) => ids.includes(id))
      .map(
        ({ createdAt, properties: { hs_note_body = "" } }) =>
          html`<h2>Note, ${createdAt.slice(0, 10)}</h2><article>${toPlainText(hs_note_body)}</article>`,
      );
    const content = html`<h1>${title || record.id}</h1><dl>${facts}</dl>${notes}`;
    return c.html(renderSandboxPage(title || record.id, content), 200, getPageHeaders());
  });
}

/** Converts IDs to display names. */
function format(world: HubspotState, name: string, value: string): string {
  if (name === "hubspot_owner_id") {
    const owner = world.owners.find(({ id }) => id === value);
    return owner ? `${owner.firstName} ${owner.lastName}` : value;
  }
  if (name === "pipeline") return world.pipelines.find(({ id }) => id === value)?.label ?? value;
  if (name !== "dealstage") return value;
  return world.pipelines.flatMap(({ stages }) => stages).find(({ id }) => id === value)?.label ?? value;
}

/** Converts a note's HTML to text; the page escapes it. */
function toPlainText(text: string): string {
  return text
    .replace(/<br\s*\/?>|<\/(p|li|h\d|tr)>/gi, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&")
    .trim();
}
