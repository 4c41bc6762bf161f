import * as z from "zod/mini";
import { readPages } from "../http/pages.ts";
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

/**
 * Reads the items of a list over its pages (https://docs.slack.dev/apis/web-api/pagination/) until none remain or
 * there are `enough`.
 *
 * @param name field of the response that holds the items: `channels`
 * @returns `more` if unread items remain
 */
export async function readAllItems<T>(
  http: ServiceHttp,
  method: string,
  { name, item, query, scope }: { name: string; item: z.ZodMiniType<T> } & Pick<Read<T>, "query" | "scope">,
  enough: number | ((items: T[]) => boolean),
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
      return { items: page[name] as T[], next: metadata?.next_cursor };
    },
    enough,
    MAX_PAGES,
  );
}
