import type { Hono } from "hono";
import { html } from "hono/html";
import { getPageHeaders, renderSandboxPage } from "../oauth/consent.ts";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { toScalar } from "./cells.ts";
import type { AirtableState } from "./state.ts";

/** Where links lead: `/<base>`, `/<base>/<table>` and `/<base>/<table>/<record>`, read-only pages for a person. */
export function registerWebPages(app: Hono<SandboxEnv>, place: ProviderContext<AirtableState>): void {
  app.get("/:base{app[A-Za-z0-9]{14}}/:table?/:record?", (c) => {
    const world = place.world();
    const base = world.bases.find(({ id }) => id === c.req.param("base"));
    const table = base?.tables.find(({ id }) => id === c.req.param("table"));
    const record = table?.records.find(({ id }) => id === c.req.param("record"));
    const asked = [c.req.param("table"), c.req.param("record")].filter((one) => one !== undefined).length;
    const found = [table, record].filter((one) => one !== undefined).length;
    if (!base || found < asked) return c.notFound();
    const name = (one: { fields: Record<string, unknown> }) =>
      String(one.fields[table?.fields[0]?.name ?? ""] ?? "Unnamed record");
    const title = record ? name(record) : table ? `${table.name} (${base.name})` : base.name;
    const lines = table ? table.records.map(name) : base.tables.map((one) => one.name);
    const facts =
      record && table
        ? table.fields.map((field) => [field.name, String(toScalar(field, record, base, world) ?? "")])
        : [];
    const list = html`<dl>${facts.map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}</dl>`;
    const text = record ? list : html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
    return c.html(renderSandboxPage(title, html`<h1>${title}</h1>${text}`), 200, getPageHeaders());
  });
}
