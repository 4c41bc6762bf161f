import * as z from "zod/mini";
import { escapeCell } from "../markup/markdown.ts";
import { formatPlace, narrowPlace, quoteName } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { findPageToChange, formatNotionPlace, PAGE_TARGET } from "./find.ts";
import { formatProperties } from "./properties.ts";
import { type Column, findColumn, listColumns } from "./schema.ts";
import { getTitle, getUrl, NotionObject } from "./title.ts";
import { toPropertyValue } from "./values.ts";

const Input = z.object({
  page: withDescription(z.string(), "Title, id or URL of the page or row."),
  property: withDescription(z.string(), "Column to set."),
  value: withDescription(
    z.string(),
    'New value: "Done", "In progress", "Not started", "Todo", "High", "Low", or any other option, name, number or day. An empty value clears the property.',
  ),
});

/** Source: https://developers.notion.com/reference/patch-page */
export const setPropertyTool = defineTool({
  name: "notion.set_property",
  description: "Set one property of a Notion page or database row.",
  access: "write",
  input: Input,
  examples: [
    "set {property} of {page} to {value} in notion",
    "set {property} of the notion page {page} to {value}",
    "set the {property} of {page} in notion to {value}",
    "change {property} of {page} to {value} in notion",
    "update {property} of the notion page {page} to {value}",
  ],
  summary: ({ page, property, value }) =>
    value.trim() === ""
      ? `Clear ${property.trim()} of “${page.trim()}” in Notion`
      : `Set ${property.trim()} of “${page.trim()}” in Notion to ${value.trim()}`,
  resource: ({ page, property }) =>
    narrowPlace(formatPlace("on the page", formatNotionPlace(page)), quoteName(property)),
  ...PAGE_TARGET,
  async run(input, context) {
    const page = await findPageToChange(context, input.page);
    const column = await findPageColumn(context, page, input.property);
    const properties = { [column.name]: await toPropertyValue(column, input.value, context) };
    const path = `/v1/pages/${encodeURIComponent(page.id)}`;
    const updatedPage = await context.http.request({
      method: "PATCH",
      path,
      body: { properties },
      answer: NotionObject,
    });
    const [title, url] = [getTitle(updatedPage), getUrl(updatedPage)];
    const oldValue = formatProperties(page)[column.name] ?? "";
    const newValue = column.type === "title" ? title : (formatProperties(updatedPage)[column.name] ?? "");
    const text =
      newValue === ""
        ? `Cleared ${escapeCell(column.name)}`
        : `Set ${escapeCell(column.name)} to ${escapeCell(newValue)}`;
    return {
      data: { id: page.id, title, property: column.name, before: oldValue, value: newValue, url },
      text: `${text}: “${escapeCell(title)}”.\n\n${url}`,
      url,
    };
  },
});

/** Returns a column with its options, which the database defines. A page outside a database has only a title. */
async function findPageColumn(context: ToolContext, page: NotionObject, columnName: string): Promise<Column> {
  const source = page.parent?.data_source_id;
  if (typeof source !== "string") return findColumn(listColumns(page), columnName);
  const path = `/v1/data_sources/${encodeURIComponent(source)}`;
  return findColumn(listColumns(await context.http.request({ path, answer: NotionObject })), columnName);
}
