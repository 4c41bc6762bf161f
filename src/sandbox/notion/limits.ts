import { toRecord } from "#protocol/json";

import { invalidError } from "./errors.ts";

/** Limits of developers.notion.com/reference/request-limits. */
const LIST = 100;
const CONTENT = 2_000;
const ELEMENTS = 1_000;
const LEVELS = 2;

/** Validates blocks of a request like Notion. @throws ApiError validation_error that names the place */
export function checkChildren(children: unknown, path = "body.children"): Record<string, unknown>[] {
  const counted = { elements: 0 };
  const list = checkLevel(children, path, 0, counted);
  if (counted.elements > ELEMENTS)
    throw createLimitError(path, `should have ≤ \`${ELEMENTS}\` block elements, instead had \`${counted.elements}\``);
  return list;
}

function checkLevel(
  children: unknown,
  path: string,
  level: number,
  counted: { elements: number },
): Record<string, unknown>[] {
  if (!Array.isArray(children))
    throw createLimitError(path, `should be an array, instead was \`${JSON.stringify(children)}\``);
  if (children.length > LIST)
    throw createLimitError(`${path}.length`, `should be ≤ \`${LIST}\`, instead was \`${children.length}\``);
  if (level > LEVELS) throw createLimitError(path, "should be not present");
  return children.map((child, index) => {
    counted.elements++;
    const block = toRecord(child);
    const type = String(block.type ?? Object.keys(block).find((key) => key !== "object") ?? "");
    if (!TYPES.has(type))
      throw createLimitError(`${path}[${index}].type`, `should be a block type, instead was \`"${type}"\``);
    const itemPath = `${path}[${index}].${type}`;
    if (typeof block[type] !== "object" || block[type] === null)
      throw createLimitError(itemPath, "should be defined, instead was `undefined`");
    const value = toRecord(block[type]);
    for (const name of ["rich_text", "caption"]) if (name in value) checkRichText(value[name], `${itemPath}.${name}`);
    if (TEXTS.has(type) && !("rich_text" in value))
      throw createLimitError(`${itemPath}.rich_text`, "should be defined, instead was `undefined`");
    const inner =
      value.children === undefined ? [] : checkLevel(value.children, `${itemPath}.children`, level + 1, counted);
    if (type === "table") checkTable(value, inner, itemPath);
    if (type === "table_row") checkRow(value, itemPath);
    return { type, value, children: inner };
  });
}

/** Validates rich text of a request. @throws ApiError validation_error */
export function checkRichText(pieces: unknown, path: string): void {
  if (!Array.isArray(pieces)) throw createLimitError(path, "should be an array");
  if (pieces.length > LIST)
    throw createLimitError(`${path}.length`, `should be ≤ \`${LIST}\`, instead was \`${pieces.length}\``);
  for (const [index, piece] of pieces.entries()) {
    const text = toRecord(toRecord(piece).text);
    const { content } = text;
    const itemPath = `${path}[${index}].text`;
    if (typeof content !== "string") throw createLimitError(`${itemPath}.content`, "should be a string");
    if (content.length > CONTENT)
      throw createLimitError(
        `${itemPath}.content.length`,
        `should be ≤ \`${CONTENT}\`, instead was \`${content.length}\``,
      );
    if (!content.isWellFormed()) throw createLimitError(`${itemPath}.content`, "should be well-formed Unicode");
    const { url } = toRecord(text.link);
    if (url !== undefined && (typeof url !== "string" || !URL.canParse(url) || url.length > CONTENT)) {
      throw invalidError("Invalid URL for link.");
    }
  }
}

function checkTable(value: Record<string, unknown>, rows: Record<string, unknown>[], path: string): void {
  if (rows.length === 0) throw createLimitError(`${path}.children`, "should be defined, instead was `undefined`");
  const isUneven = rows.some(
    (row) => row.type !== "table_row" || (toRecord(row.value).cells as unknown[]).length !== value.table_width,
  );
  if (isUneven) throw invalidError("Number of cells in table row must match the table width of the parent table");
}

function checkRow({ cells }: Record<string, unknown>, path: string): void {
  if (!Array.isArray(cells)) throw createLimitError(`${path}.cells`, "should be an array");
  for (const [index, cell] of cells.entries()) checkRichText(cell, `${path}.cells[${index}]`);
}

function createLimitError(path: string, message: string) {
  return invalidError(`body failed validation: ${path} ${message}.`);
}

const TEXTS = new Set([
  "paragraph",
  "heading_1",
  "heading_2",
  "heading_3",
  "bulleted_list_item",
  "numbered_list_item",
  "to_do",
  "toggle",
  "quote",
  "callout",
  "code",
]);

const TYPES = new Set([...TEXTS, "divider", "table", "table_row", "image", "bookmark", "embed", "equation"]);
