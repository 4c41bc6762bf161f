import type { Hono } from "hono";
import { html } from "hono/html";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { renderEntry, renderFacts, sendWebPage } from "../web-page.ts";
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
    const facts = Object.entries(properties).map(([name, value]) => [name, format(world, name, value)]);
    const ids = listAssociated(world, type, record, "notes");
    const notes = world.notes
      .filter(({ id }) => ids.includes(id))
      .map(({ createdAt, properties: { hs_note_body = "" } }) =>
        renderEntry(`Note, ${createdAt.slice(0, 10)}`, toPlainText(hs_note_body)),
      );
    return sendWebPage(c, title || record.id, html`${renderFacts(Object.fromEntries(facts))}${notes}`);
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
