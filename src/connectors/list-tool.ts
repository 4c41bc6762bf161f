import { hash } from "node:crypto";
import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { tryParseJson } from "#protocol/json";
import type { ListRequest, Position } from "./http/pages.ts";
import { type Tool, type ToolContext, type ToolResult, withDescription } from "./tool.ts";

/** A read that lists or searches. Its input also takes `limit` and `cursor`. `run` returns an object as its data. */
type ListTool<Input extends Record<string, unknown>> = Omit<Tool<Input>, "access" | "run"> & {
  limit: { usual: number; most: number };
  run(input: Input, context: ToolContext, list: ListRequest): Promise<ToolResult>;
};

/** Longest cursor, in characters. A list whose service has longer ones ends with `more` alone. */
const MAX_CURSOR_LENGTH = 4_000;

const Cursor = withDescription(z.optional(z.string()), "next_cursor of the result before, to continue it.");

/**
 * Defines a tool that lists. If items remain after the {@link ListRequest}, the data gets the field `next_cursor`. The
 * cursor is only a position in the service's list: it depends on no process, and holds no address and no secret.
 */
export function defineListTool<Input extends Record<string, unknown>>(
  list: NoInfer<ListTool<Input>> & { input: z.ZodMiniType<Input> },
): Tool {
  const { limit, ...tool } = list;
  const Limit = z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(limit.most)));
  const input = z.extend(tool.input as unknown as z.ZodMiniObject, {
    limit: withDescription(Limit, `Default: ${limit.usual}.`),
    cursor: Cursor,
  });
  const defined = {
    ...tool,
    access: "read" as const,
    input,
    run: async ({ limit: limitInput = limit.usual, cursor, ...filter }: Paged<Input>, context: ToolContext) => {
      const name = JSON.stringify([tool.name, normalize(filter)]);
      const request: ListRequest = { limit: limitInput, start: parseCursor(cursor, name, tool.name) };
      const result = await tool.run(filter as unknown as Input, context, request).catch((error: unknown) => {
        throw request.start.cursor === undefined ? error : addCursorHint(error);
      });
      const next = formatCursor(request.next, name);
      return next === undefined ? result : { ...result, data: { ...(result.data as object), next_cursor: next } };
    },
    summary: ({ limit: _, cursor: _cursor, ...filter }: Paged<Input>) => tool.summary(filter as unknown as Input),
  };
  return defined as unknown as Tool;
}

type Paged<Input> = Input & { limit?: number; cursor?: string };

/** Lists the fields with a value in one order, since an empty field means the same as an absent one. */
function normalize(filter: Record<string, unknown>): [string, unknown][] {
  const filters = Object.entries(filter).filter(([, value]) => value !== undefined && value !== "");
  return filters.sort(([a], [b]) => (a < b ? -1 : 1));
}

function formatCursor(next: Position | undefined, list: string): string | undefined {
  if (next === undefined) return undefined;
  const place = Buffer.from(JSON.stringify([next.index, next.cursor ?? null])).toString("base64url");
  const cursor = `${getChecksum(place, list)}.${place}`;
  return cursor.length <= MAX_CURSOR_LENGTH ? cursor : undefined;
}

/** @throws Problem INVALID_REQUEST for a cursor that this list did not return */
function parseCursor(cursor: string | undefined, list: string, tool: string): Position {
  const text = cursor?.trim() ?? "";
  if (text === "") return { index: 0 };
  const [checksum, place = ""] = text.length <= MAX_CURSOR_LENGTH ? text.split(".") : [];
  const value = tryParseJson(Buffer.from(place, "base64url").toString());
  if (checksum === getChecksum(place, list) && Array.isArray(value)) {
    const [index, next] = value as [unknown, unknown];
    if (Number.isSafeInteger(index) && (index as number) >= 0 && (next === null || typeof next === "string"))
      return { index: index as number, cursor: next ?? undefined };
  }
  throw new Problem("INVALID_REQUEST", "This cursor does not belong to this list.", {
    hint: `Call ${tool} with the whole next_cursor of a result and the same other fields, or without a cursor.`,
  });
}

/**
 * Computes a checksum that finds truncated cursors and those of another search. It needs no key: a cursor reaches only
 * its list.
 */
function getChecksum(place: string, list: string): string {
  return hash("sha256", `${list}\n${place}`, "base64url").slice(0, 8);
}

/** Adds a hint to a refusal, because services refuse a cursor after some time. */
function addCursorHint(error: unknown): unknown {
  if (!(error instanceof Problem) || ![400, 404, 410, 422].includes(Number(error.details.service_status))) return error;
  const { code, message, details, cause } = error;
  return new Problem(code, message, { hint: "The cursor may be too old: list again without it.", details, cause });
}

/**
 * The content of a list: the number of items, their noun ("open issues in KAY"), whether others remain, and the items
 * as Markdown.
 */
type ListText = {
  count: number;
  words: string;
  more?: boolean;
  /** Number of all matches, if the service says it. */
  total?: number;
  /** Which items the first call lists. Default: the first. */
  order?: "first" | "newest";
  /** Text after the words: a sum, a time zone. */
  note?: string;
  /** Sentence for an empty list. Default: "No open issues in KAY." */
  none?: string;
  items(): string;
};

/**
 * Formats a list: "The first 20 open issues in KAY; there are more:" and the items. Counts of a later call say that
 * they are not all.
 */
export function formatList({ start }: ListRequest, list: ListText): string {
  const { count, words, more = false, total = 0, order = "first", note = "", none = `No ${words}.` } = list;
  const isLater = start.index > 0 || start.cursor !== undefined;
  if (count === 0)
    return more ? `No ${words} so far; there are more to look through.` : isLater ? `No more ${words}.` : none;
  const isPart = total > count;
  const number = isPart ? `${count} of ${total}` : `${count}`;
  // "The first of 5 pages", "the newest issue".
  const place = count === 1 ? (isPart ? `of ${total} ` : "") : `${number} `;
  const head = more || isPart || isLater ? `The ${isLater ? "next" : order} ${place}${words}` : `${number} ${words}`;
  return `${head}${note}${more && !isPart ? "; there are more" : ""}:\n\n${list.items()}`;
}
