import type { Context } from "hono";
import type { GithubEnv } from "./access.ts";

/**
 * Returns a page of a list, with the URLs of the others in `Link`
 * (docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api): 30 by default, at most 100, on the
 * requested origin with all other parameters.
 */
export function paginate<T>(c: Context<GithubEnv>, items: T[]): T[] {
  const size = Math.min(100, parseWholeNumber(c.req.query("per_page"), 30));
  const number = parseWholeNumber(c.req.query("page"), 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const getPageUrl = (page: number) => {
    const url = new URL(c.req.url);
    url.searchParams.set("page", String(page));
    return url.href;
  };
  const links = [
    ...(number > 1 ? [`<${getPageUrl(Math.min(number - 1, last))}>; rel="prev"`] : []),
    ...(number < last ? [`<${getPageUrl(number + 1)}>; rel="next"`, `<${getPageUrl(last)}>; rel="last"`] : []),
    ...(number > 1 ? [`<${getPageUrl(1)}>; rel="first"`] : []),
  ];
  if (links.length > 0) c.header("link", links.join(", "));
  return items.slice((number - 1) * size, number * size);
}

function parseWholeNumber(text: string | undefined, fallback: number): number {
  const number = Number(text ?? fallback);
  return Number.isInteger(number) && number >= 1 ? number : fallback;
}
