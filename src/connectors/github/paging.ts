import * as z from "zod/mini";
import { isSameOrigin } from "../http/target.ts";
import type { ServiceHttp, ServiceRequest } from "../service.ts";

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
  const values: T[] = [];
  let page: Omit<ServiceRequest<unknown>, "answer"> = request;
  for (let number = 1; ; number++) {
    let next: string | undefined;
    const onHeaders = (headers: Headers) => {
      next = findNextLink(headers.get("link"));
    };
    values.push(...(await http.request({ ...page, answer: z.array(item), onHeaders })).filter(counts));
    if (next === undefined) return { values: values.slice(0, limit), more: values.length > limit };
    if (values.length >= limit || number === MAX_PAGES || !isSameOrigin(next, http.endpoints.api)) {
      return { values: values.slice(0, limit), more: true };
    }
    page = { ...request, path: next, query: undefined };
  }
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
