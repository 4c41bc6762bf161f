import * as z from "zod/mini";
import { type ListRequest, readPages } from "../http/pages.ts";
import { getQuery, isSameOrigin, toPageRequest } from "../http/target.ts";
import type { ServiceHttp, ServiceRequest } from "../service-http.ts";

/** Largest page size of GitHub. */
export const MAX_PAGE_SIZE = 100;
/** Maximum number of pages read. */
const MAX_PAGES = 10;

/**
 * Reads the matching items of a list or a search over its pages, up to a limit. `more` is set if others remain. The
 * `Link` header (RFC 8288) names the next page. Only its query is used, so that a request never leaves the list.
 * Source: https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
 */
export async function readAllPages<T>(
  http: ServiceHttp,
  request: Omit<ServiceRequest<unknown>, "answer">,
  item: z.ZodMiniType<T>,
  { limit, counts = () => true, isSearch = false }: ListOptions<T>,
): Promise<{ values: T[]; more: boolean; total: number }> {
  const items = z.array(item);
  const Answer = z.looseObject({ total_count: z.number(), items });
  let total = 0;
  const fetchPage = async (query: string | undefined) => {
    let next: string | undefined;
    const onHeaders = (headers: Headers) => {
      next = findNextLink(headers.get("link"));
    };
    const page = { ...toPageRequest(request, query), onHeaders };
    const answer = isSearch
      ? await http.request({ ...page, answer: Answer })
      : { items: await http.request({ ...page, answer: items }), total_count: 0 };
    total = answer.total_count;
    const leaves = next !== undefined && !isSameOrigin(next, http.endpoints.api);
    return { items: answer.items.filter(counts), next: leaves ? undefined : getQuery(next), more: leaves };
  };
  const result = await readPages(fetchPage, limit, MAX_PAGES);
  return { values: result.items, more: result.more, total: Math.max(total, result.items.length) };
}

/** `counts` selects the items to return. `isSearch`: the response is an object with the items and their number. */
type ListOptions<T> = { limit: number | ListRequest; counts?(item: T): boolean; isSearch?: boolean };

/** Returns the URL with `rel="next"` in a `Link` header. */
export function findNextLink(header: string | null): string | undefined {
  for (const [, url, parameters = ""] of (header ?? "").matchAll(
    /<([^<>]+)>((?:\s*;\s*[\w*-]+=(?:"[^"]*"|[^\s,;]+))*)/g,
  )) {
    if (/;\s*rel="?(?:[^"]*\s)?next(?:\s[^"]*)?"?\s*(?:;|$)/i.test(parameters)) return url;
  }
  return undefined;
}
