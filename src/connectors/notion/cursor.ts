import * as z from "zod/mini";

/** Fields of every list of Notion. Source: https://developers.notion.com/reference/intro#pagination */
export const CURSOR = { has_more: z.nullish(z.boolean()), next_cursor: z.nullish(z.string()) };

/** Returns the cursor of the page after a page, if there is one. */
export function getNextCursor(page: {
  has_more?: boolean | null | undefined;
  next_cursor?: string | null | undefined;
}): string | undefined {
  return page.has_more === true ? (page.next_cursor ?? undefined) : undefined;
}
