import * as z from "zod/mini";
import { isSameOrigin } from "../http/target.ts";
import type { ServiceHttp, ServiceRequest } from "../service.ts";

/** Largest page that GitHub gives. */
export const MAX_PAGE_SIZE = 100;
/** Pages that are read at most. */
const PAGES = 10;

/**
 * Items of a list over its pages, up to a limit of those that count; `more` when there are others. The next page is named by the `Link`
 * header (RFC 8288) and followed on the API's own origin only, so that the token never goes elsewhere. Source:
 * https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
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
    if (values.length >= limit || number === PAGES || !isSameOrigin(next, http.endpoints.api)) {
      return { values: values.slice(0, limit), more: true };
    }
    page = { ...request, path: next, query: undefined };
  }
}

/** The address with `rel="next"` in a `Link` header. */
export function findNextLink(header: string | null): string | undefined {
  for (const [, url, parameters = ""] of (header ?? "").matchAll(
    /<([^<>]+)>((?:\s*;\s*[\w*-]+=(?:"[^"]*"|[^\s,;]+))*)/g,
  )) {
    if (/;\s*rel="?(?:[^"]*\s)?next(?:\s[^"]*)?"?\s*(?:;|$)/i.test(parameters)) return url;
  }
  return undefined;
}
