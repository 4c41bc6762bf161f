import * as z from "zod/mini";
import { readPages } from "../http/pages.ts";
import { isSameOrigin } from "../http/target.ts";
import type { ServiceHttp, ServiceRequest } from "../service-http.ts";

/** Largest page size of GitHub. */
export const MAX_PAGE_SIZE = 100;
/** Maximum number of pages read. */
const MAX_PAGES = 10;

/**
 * Reads the matching items of a list over its pages, up to a limit. `more` is set if others remain. The `Link` header
 * (RFC 8288) names the next page, which is followed only on the API's origin, so that the token goes nowhere else.
 * Source: https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
 */
export async function readAllPages<T>(
  http: ServiceHttp,
  request: Omit<ServiceRequest<unknown>, "answer">,
  item: z.ZodMiniType<T>,
  { limit, counts = () => true }: { limit: number; counts?(item: T): boolean },
): Promise<{ values: T[]; more: boolean }> {
  const fetchPage = async (link: string | undefined) => {
    let next: string | undefined;
    const onHeaders = (headers: Headers) => {
      next = findNextLink(headers.get("link"));
    };
    const page = link === undefined ? request : { ...request, path: link, query: undefined };
    const values = await http.request({ ...page, answer: z.array(item), onHeaders });
    const leaves = next !== undefined && !isSameOrigin(next, http.endpoints.api);
    return { items: values.filter(counts), next: leaves ? undefined : next, more: leaves };
  };
  const { items, more } = await readPages(fetchPage, limit, MAX_PAGES);
  return { values: items, more };
}

/** Returns the URL with `rel="next"` in a `Link` header. */
export function findNextLink(header: string | null): string | undefined {
  for (const [, url, parameters = ""] of (header ?? "").matchAll(
    /<([^<>]+)>((?:\s*;\s*[\w*-]+=(?:"[^"]*"|[^\s,;]+))*)/g,
  )) {
    if (/;\s*rel="?(?:[^"]*\s)?next(?:\s[^"]*)?"?\s*(?:;|$)/i.test(parameters)) return url;
  }
  return undefined;
}
