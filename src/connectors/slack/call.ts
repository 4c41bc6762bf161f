import * as z from "zod/mini";
import { type ListRequest, readPages } from "../http/pages.ts";
import type { ServiceHttp, ServiceRequest } from "../service-http.ts";

/** Maximum number of pages read. Larger workspaces cannot be searched completely. */
const MAX_PAGES = 10;

type Read<T> = Pick<ServiceRequest<T>, "query" | "answer" | "scope">;
type Write<T> = Pick<ServiceRequest<T>, "answer" | "scope" | "reads"> & { body?: Record<string, unknown> };

/** Calls a read method, such as `conversations.history`. Source: https://docs.slack.dev/apis/web-api/ */
export function callReadMethod<T>(http: ServiceHttp, method: string, request: Read<T>): Promise<T> {
  return http.request({ path: `/${method}`, ...request });
}

/** Calls a write method. It names the charset, because Slack warns about JSON without one. */
export function callMethod<T>(http: ServiceHttp, method: string, request: Write<T>): Promise<T> {
  const { body = {}, ...rest } = request;
  const headers = { "content-type": "application/json; charset=utf-8" };
  return http.request({ method: "POST", path: `/${method}`, body, headers, ...rest });
}

type ItemList<T> = { name: string; item: z.ZodMiniType<T>; isWanted?(item: T): boolean } & Pick<
  Read<T>,
  "query" | "scope"
>;

/**
 * Reads the items of a list over its pages (https://docs.slack.dev/apis/web-api/pagination/) until none remain or
 * there are `enough`. Those that are not `isWanted` are left out.
 *
 * @param name field of the response that holds the items: `channels`
 * @returns `more` if unread items remain
 */
export async function readAllItems<T>(
  http: ServiceHttp,
  method: string,
  { name, item, query, scope, isWanted = () => true }: ItemList<T>,
  enough: number | ListRequest | ((items: T[]) => boolean),
): Promise<{ items: T[]; more: boolean }> {
  const answer = z.looseObject({
    [name]: z.array(item),
    response_metadata: z.nullish(z.looseObject({ next_cursor: z.nullish(z.string()) })),
  });
  return readPages(
    async (cursor) => {
      const request = { query: { ...query, cursor }, answer, scope };
      const page: Record<string, unknown> = await callReadMethod(http, method, request);
      const metadata = page.response_metadata as { next_cursor?: string | null } | undefined;
      return { items: (page[name] as T[]).filter(isWanted), next: metadata?.next_cursor };
    },
    enough,
    MAX_PAGES,
  );
}
