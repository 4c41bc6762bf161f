import * as z from "zod/mini";
import type { ServiceHttp, ServiceRequest } from "../service.ts";

/** Pages of a list that are read at most; beyond that a workspace is too large to look through. */
const PAGES = 10;

type Read<T> = Pick<ServiceRequest<T>, "query" | "answer" | "scope">;
type Write<T> = Pick<ServiceRequest<T>, "answer" | "scope" | "reads"> & { body?: Record<string, unknown> };

/** Calls a method that reads: `conversations.history`. Source: https://docs.slack.dev/apis/web-api/ */
export function callReadMethod<T>(http: ServiceHttp, method: string, request: Read<T>): Promise<T> {
  return http.request({ path: `/${method}`, ...request });
}

/** Calls a method that writes. The charset is named, since Slack warns about JSON without one. */
export function callMethod<T>(http: ServiceHttp, method: string, request: Write<T>): Promise<T> {
  const { body = {}, ...rest } = request;
  const headers = { "content-type": "application/json; charset=utf-8" };
  return http.request({ method: "POST", path: `/${method}`, body, headers, ...rest });
}

/**
 * Items of a list over its pages, in cursors (https://docs.slack.dev/apis/web-api/pagination/), until there are no more or `enough` says so.
 *
 * @param name field of the answer that holds the items: `channels`
 * @returns `more` when there are others that were not read
 */
export async function readAllItems<T>(
  http: ServiceHttp,
  method: string,
  { name, item, query, scope }: { name: string; item: z.ZodMiniType<T> } & Pick<Read<T>, "query" | "scope">,
  enough: (items: T[]) => boolean,
): Promise<{ items: T[]; more: boolean }> {
  const answer = z.looseObject({
    [name]: z.array(item),
    response_metadata: z.nullish(z.looseObject({ next_cursor: z.nullish(z.string()) })),
  });
  const items: T[] = [];
  const seen = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const page: Record<string, unknown> = await callReadMethod(http, method, {
      query: { ...query, cursor },
      answer,
      scope,
    });
    items.push(...(page[name] as T[]));
    const next = (page.response_metadata as { next_cursor?: string | null } | undefined)?.next_cursor || undefined;
    if (next === undefined || seen.has(next)) return { items, more: false };
    if (enough(items) || seen.size + 1 >= PAGES) return { items, more: true };
    seen.add(next);
    cursor = next;
  }
}
