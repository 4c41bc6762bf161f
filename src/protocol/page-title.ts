import { cleanLine } from "./clean.ts";

/** Most characters of a title. */
const MAX_LENGTH = 80;

/**
 * Returns the title of a body that is a web page; "" if the page has none. It often names the sender, such as a proxy
 * or a sign-in page.
 */
export function getPageTitle(body: string): string | undefined {
  return /^\s*</.test(body) ? cleanLine(/<title[^<>]*>([^<]+)/i.exec(body)?.[1] ?? "", MAX_LENGTH) : undefined;
}
