import * as z from "zod/mini";
import { type ListRequest, readPages } from "../http/pages.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatMarkdownTable, formatNoun } from "../markup/markdown.ts";
import { type ToolContext, withDescription } from "../tool.ts";
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
});
type Input = z.output<typeof Input>;

const Page = z.looseObject({ results: z.array(NotionObject), ...CURSOR });

/** Columns shown to the user. The model gets all. */
const MAX_COLUMNS = 5;

/** Source: https://developers.notion.com/reference/query-a-data-source */
export const queryDatabaseTool = defineListTool({
  name: "notion.query_database",
  description: "List the rows of a Notion database, all of them or those with a given value.",
  input: Input,
  limit: { usual: 50, most: 500 },
  examples: [
    "show the rows of the notion database {database}",
    "list the notion database {database}",
    "query the notion database {database}",
    "what is in the notion database {database}",
    "show {database} in notion where {property} is {value}",
    "list rows in the notion database {database} where {property} is {value}",
    "show the rows of {database} in notion with {property} {value}",
    "{database} rows in notion where {property} is {value}",
    "show the rows of {database} in notion",
  ],
  summary: (input) => `List ${describeQuery(input)}`,
  async run(input, context, list) {
    const source = await findDataSource(context, input.database);
    const columns = listColumns(source);
    const filterValue = input.property?.trim() && input.value?.trim();
    const filter = filterValue
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
    const { rows, more } = await queryRows(context, source.id, body, list);
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
      text: formatList(list, {
        count: rows.length,
        words: `${formatNoun(rows.length, "row")} of “${escapeCell(title)}”`,
        more,
        none: `No matching rows of “${escapeCell(title)}”.`,
        items: () => formatRows(rows, head, names),
      }),
      url: getUrl(source),
    };
  },
});

async function queryRows(
  context: ToolContext,
  id: string,
  body: Record<string, unknown>,
  list: ListRequest,
): Promise<{ rows: NotionObject[]; more: boolean }> {
  const path = `/v1/data_sources/${encodeURIComponent(id)}/query`;
  const { items, more } = await readPages(async (cursor, size) => {
    const requestBody = { ...body, page_size: Math.min(100, size), ...(cursor ? { start_cursor: cursor } : {}) };
    const page = await context.http.request({ method: "POST", path, body: requestBody, answer: Page, reads: true });
    return { items: page.results, next: getNextCursor(page) };
  }, list);
  return { rows: items, more };
}

function describeQuery({ database, property, value }: Input): string {
  const where = property?.trim() && value?.trim() ? ` where ${property.trim()} is ${value.trim()}` : "";
  return `rows of “${database.trim()}” in Notion${where}`;
}

function formatRows(rows: NotionObject[], head: string, names: string[]): string {
  const properties = rows.map(formatProperties);
  const columns = names.filter((name) => properties.some((row) => row[name])).slice(0, MAX_COLUMNS);
  const cells = rows.map((row, index) => [getTitle(row), ...columns.map((name) => properties[index]?.[name] ?? "")]);
  return formatMarkdownTable([head, ...columns], cells);
}
