import * as z from "zod/mini";
import { readPages } from "../http/pages.ts";
import { escapeCell, formatCount, formatMarkdownTable } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { findDataSource } from "./find.ts";
import { formatProperties } from "./properties.ts";
import { CURSOR, getNextCursor } from "./read.ts";
import { findColumn, listColumns } from "./schema.ts";
import { getTitle, getUrl, NotionObject } from "./title.ts";
import { toPropertyFilter } from "./values.ts";

const Input = z.object({
  database: withDescription(z.string(), "Title, id or URL of the database."),
  property: withDescription(z.optional(z.string()), "Column to filter by."),
  value: withDescription(
    z.optional(z.string()),
    'Value to match: "Done", "In progress", "Not started", "Todo", "High", "Low", or any other option, name or number. A value that begins with not inverts the filter.',
  ),
  sort: withDescription(z.optional(z.string()), "Column to sort by. A leading hyphen sorts in descending order."),
  limit: withDescription(
    z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(500))),
    "Maximum number of rows. Default: 50.",
  ),
});
type Input = z.output<typeof Input>;

const Page = z.looseObject({ results: z.array(NotionObject), ...CURSOR });

/** Columns shown to the user. The model gets all. */
const MAX_COLUMNS = 5;

/** Source: https://developers.notion.com/reference/query-a-data-source */
export const queryDatabaseTool = defineTool({
  name: "notion.query_database",
  description: "List the rows of a Notion database, all of them or those with a given value.",
  access: "read",
  input: Input,
  examples: [
    "show the rows of the notion database {database}",
    "list the notion database {database}",
    "query the notion database {database}",
    "what is in the notion database {database}",
    "show {database} in notion where {property} is {value}",
    "list rows in the notion database {database} where {property} is {value}",
    "show the rows of {database} in notion",
  ],
  summary: (input: Input) => `List ${describeQuery(input)}`,
  async run(input, context) {
    const source = await findDataSource(context, input.database);
    const columns = listColumns(source);
    const asked = input.property?.trim() && input.value?.trim();
    const filter = asked
      ? await toPropertyFilter(findColumn(columns, input.property ?? ""), input.value ?? "", context)
      : undefined;
    const sort = input.sort?.trim().replace(/^-/, "");
    const body = {
      ...(filter ? { filter } : {}),
      ...(sort
        ? {
            sorts: [
              {
                property: findColumn(columns, sort).name,
                direction: /^\s*-/.test(input.sort ?? "") ? "descending" : "ascending",
              },
            ],
          }
        : {}),
    };
    const { rows, more } = await queryRows(context, source.id, body, input.limit ?? 50);
    const title = getTitle(source);
    const data = rows.map((row) => ({ id: row.id, title: getTitle(row), ...formatProperties(row), url: getUrl(row) }));
    const names = columns.filter(({ type }) => type !== "title").map(({ name }) => name);
    const head = columns.find(({ type }) => type === "title")?.name ?? "Title";
    return {
      data: {
        database: title,
        columns: columns.map(({ name, type, options }) => ({ name, type, ...(options.length > 0 ? { options } : {}) })),
        rows: data,
        more,
      },
      text: formatResult(rows, more, `of “${escapeCell(title)}”`, head, names),
      url: getUrl(source),
    };
  },
});

async function queryRows(
  context: ToolContext,
  id: string,
  body: Record<string, unknown>,
  limit: number,
): Promise<{ rows: NotionObject[]; more: boolean }> {
  const path = `/v1/data_sources/${encodeURIComponent(id)}/query`;
  const { items, more } = await readPages(async (cursor, count) => {
    const size = Math.min(100, limit - count);
    const sent = { ...body, page_size: size, ...(cursor ? { start_cursor: cursor } : {}) };
    const page = await context.http.request({ method: "POST", path, body: sent, answer: Page, reads: true });
    return { items: page.results, next: getNextCursor(page) };
  }, limit);
  return { rows: items, more };
}

function describeQuery({ database, property, value }: Input): string {
  const where = property?.trim() && value?.trim() ? ` where ${property.trim()} is ${value.trim()}` : "";
  return `rows of “${database.trim()}” in Notion${where}`;
}

function formatResult(rows: NotionObject[], more: boolean, where: string, head: string, names: string[]): string {
  if (rows.length === 0) return `No matching rows ${where}.`;
  const properties = rows.map(formatProperties);
  const shown = names.filter((name) => properties.some((one) => one[name])).slice(0, MAX_COLUMNS);
  const cells = rows.map((row, index) => [getTitle(row), ...shown.map((name) => properties[index]?.[name] ?? "")]);
  const first = more
    ? `The first ${rows.length} rows ${where}; there are more:`
    : `${formatCount(rows.length, "row")} ${where}:`;
  return `${first}\n\n${formatMarkdownTable([head, ...shown], cells)}`;
}
