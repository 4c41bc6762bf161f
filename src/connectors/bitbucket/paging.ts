import * as z from "zod/mini";
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
  const values: T[] = [];
  const seen = new Set<string>();
  let page: Omit<ServiceRequest<unknown>, "answer"> = request;
  for (;;) {
    const { values: some, next } = await http.request({ ...page, answer });
    values.push(...some);
    if (!next || seen.has(next)) return { values: values.slice(0, limit), more: values.length > limit };
    if (values.length >= limit || !isSameOrigin(next, http.endpoints.api))
      return { values: values.slice(0, limit), more: true };
    seen.add(next);
    page = { ...request, path: next, query: undefined };
  }
}
