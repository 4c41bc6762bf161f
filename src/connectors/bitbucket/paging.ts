import * as z from "zod/mini";
import { readPages } from "../http/pages.ts";
import { isSameOrigin } from "../http/target.ts";
import type { ServiceHttp, ServiceRequest } from "../service.ts";

/**
 * Reads a Bitbucket list over its pages, up to a limit. `more` is set if others remain. The next link comes from the
 * response and is followed only on the API's origin, so that the token goes nowhere else.
 */
export async function readAllPages<T>(
  http: ServiceHttp,
  request: Omit<ServiceRequest<unknown>, "answer">,
  item: z.ZodMiniType<T>,
  limit: number,
): Promise<{ values: T[]; more: boolean }> {
  const answer = z.looseObject({ values: z.array(item), next: z.nullish(z.string()) });
  const fetchPage = async (link: string | undefined) => {
    const page = link === undefined ? request : { ...request, path: link, query: undefined };
    const { values, next } = await http.request({ ...page, answer });
    const leaves = next ? !isSameOrigin(next, http.endpoints.api) : false;
    return { items: values, next: leaves ? undefined : next, more: leaves };
  };
  const { items, more } = await readPages(fetchPage, limit);
  return { values: items, more };
}
