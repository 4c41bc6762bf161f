import type { Hono } from "hono";
import { html } from "hono/html";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { renderEntry, renderFacts, sendWebPage } from "../web-page.ts";
import { normalizeId } from "./access.ts";
import type { Block, Database, NotionState, Row } from "./state.ts";
import { toPlainText } from "./values.ts";

/** Read-only page that links lead to: `/<title>-<id>`. */
export function registerWebPages(app: Hono<SandboxEnv>, provider: ProviderContext<NotionState>): void {
  app.get("/:page{[A-Za-z0-9-]*[0-9a-f]{32}}", (c) => {
    const id = normalizeId(c.req.param("page").slice(-32));
    const world = provider.world();
    const getUserName = (user: string) =>
      world.users.find((candidate) => candidate.id === user)?.name ?? "Unknown user";
    const database = world.databases.find((database) => database.id === id);
    const rows = world.databases.flatMap((database) => database.rows.map((row) => ({ row, database })));
    const row = rows.find((match) => match.row.id === id);
    const page = world.pages.find((page) => page.id === id) ?? row?.row;
    if (!page && !database) return c.notFound();
    const title = database ? database.title : page && "title" in page ? page.title : getTitle(row);
    const facts = Object.entries(row?.row.properties ?? {}).map(([key, value]) => [key, format(value, getUserName)]);
    const text = database
      ? database.rows.map((row) => getTitle({ row, database })).join("\n")
      : getLines(page?.blocks ?? []);
    const comments = (page?.comments ?? []).map(({ author, created_time, text }) =>
      renderEntry(`${getUserName(author)}, ${created_time.slice(0, 10)}`, text),
    );
    const content = html`${renderFacts(Object.fromEntries(facts))}<article>${text}</article>${comments}`;
    return sendWebPage(c, title, content);
  });
}

function getTitle(match: { row: Row; database: Database } | undefined): string {
  const name = Object.entries(match?.database.properties ?? {}).find(([, { type }]) => type === "title")?.[0] ?? "";
  return String(match?.row.properties[name] ?? "Untitled");
}

function format(value: unknown, name: (id: string) => string): string {
  if (Array.isArray(value))
    return value.map((value) => (/^[0-9a-f-]{36}$/.test(value) ? name(value) : value)).join(", ");
  return value === true ? "yes" : value === false ? "no" : String(value ?? "");
}

function getLines(blocks: Block[], indent = ""): string {
  return blocks
    .map(({ value, children }) => {
      const cells = Array.isArray(value.cells) ? value.cells.map(toPlainText).join(" | ") : "";
      const text = `${indent}${cells || toPlainText(value.rich_text) || String(value.title ?? "")}`;
      return children.length > 0 ? `${text}\n${getLines(children, `${indent}  `)}` : text;
    })
    .join("\n");
}
