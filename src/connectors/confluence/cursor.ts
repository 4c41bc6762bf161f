import * as z from "zod/mini";

/** Links of a list. The next page is a path on the site. */
export const Links = z.nullish(z.looseObject({ next: z.nullish(z.string()) }));

/** Returns the cursor of the page after a page, if there is one. */
export function getNextCursor(links: z.output<typeof Links>): string | undefined {
  return new URLSearchParams(links?.next?.split("?")[1]).get("cursor") ?? undefined;
}
