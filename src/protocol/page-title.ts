import { cleanLine } from "./clean.ts";

/** Most characters of a title. */
const MAX_LENGTH = 80;

/**
 * Returns the title of a body that is a web page, which often says who answered: a proxy, or a page to sign in. A page
 * without a title has an empty one.
 */
export function getPageTitle(body: string): string | undefined {
  return /^\s*</.test(body) ? cleanLine(/<title[^<>]*>([^<]+)/i.exec(body)?.[1] ?? "", MAX_LENGTH) : undefined;
}
