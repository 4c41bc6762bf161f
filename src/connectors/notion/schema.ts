import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { readPages } from "../http/pages.ts";
import { isMe } from "../input-text.ts";
import { escapeCell } from "../markup/markdown.ts";
import { type Purpose, requirePerson } from "../match.ts";
import type { ToolContext } from "../tool.ts";
import { CURSOR, getNextCursor } from "./read.ts";
import type { NotionObject } from "./title.ts";

const Options = z.looseObject({ options: z.nullish(z.array(z.looseObject({ name: z.string() }))) });
const Users = z.looseObject({
  results: z.array(
    z.looseObject({
      id: z.string(),
      name: z.nullish(z.string()),
      type: z.nullish(z.string()),
      person: z.nullish(z.looseObject({ email: z.nullish(z.string()) })),
    }),
  ),
  ...CURSOR,
});

/** Maximum number of pages of users that are searched for a name. */
const MAX_PAGES = 10;

/** A column of a database: its exact name, its type, and its options if it has any. */
export type Column = { name: string; type: string; options: string[] };

/** Lists the columns of a data source. Source: https://developers.notion.com/reference/property-object */
export function listColumns({ properties }: NotionObject): Column[] {
  return Object.entries(properties ?? {}).map(([name, property]) => {
    const type = property.type ?? "";
    const options = Options.safeParse(property[type]);
    return { name, type, options: options.success ? (options.data.options ?? []).map((option) => option.name) : [] };
  });
}

/** Finds a column by name, ignoring case. @throws Problem INVALID_REQUEST that lists the existing columns */
export function findColumn(columns: Column[], columnName: string): Column {
  const name = columnName.trim().toLowerCase();
  const match = columns.find((column) => column.name.trim().toLowerCase() === name);
  if (match) return match;
  throw new Problem("INVALID_REQUEST", `No property is called “${escapeCell(columnName.trim())}”.`, {
    hint: `Available: ${columns.map((column) => escapeCell(column.name)).join(", ")}.`,
    details: { field: "property" },
  });
}

/** Finds an option and returns its exact spelling. @throws Problem INVALID_REQUEST that lists the existing options */
export function findOption({ name, options }: Column, optionName: string): string {
  const text = optionName.trim().toLowerCase();
  const match = options.find((option) => option.trim().toLowerCase() === text);
  if (match !== undefined) return match;
  throw new Problem("INVALID_REQUEST", `“${escapeCell(optionName.trim())}” is not an option of ${escapeCell(name)}.`, {
    hint:
      options.length > 0
        ? `Available: ${options.map(escapeCell).join(", ")}.`
        : "It has no options yet; add one in Notion.",
    details: { field: "value" },
  });
}

/** Finds a user by name, email address or "me". @throws Problem INVALID_REQUEST when none or several match */
export async function findUser(context: ToolContext, name: string, purpose: Purpose): Promise<string> {
  const { user_id: me } = context.metadata;
  if (isMe(name) && typeof me === "string") return me;
  const people = (await listUsers(context)).filter(({ type }) => type !== "bot");
  return requirePerson(people, name, {
    purpose,
    where: "Notion",
    listNames: (user) => [user.name],
    listAccounts: ({ id, person }) => [person?.email, id],
    isShown: false,
  }).id;
}

/** Lists the users of the workspace. */
async function listUsers(context: ToolContext): Promise<z.output<typeof Users>["results"]> {
  const fetchPage = async (cursor: string | undefined) => {
    const query = { page_size: 100, start_cursor: cursor };
    const page = await context.http.request({ path: "/v1/users", query, answer: Users });
    return { items: page.results, next: getNextCursor(page) };
  };
  return (await readPages(fetchPage, () => false, MAX_PAGES)).items;
}
