import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { formatCount } from "../markup/markdown.ts";
import type { ToolContext } from "../tool.ts";
import { type BlockDraft, countBlocks } from "./blocks.ts";

/**
 * Limits of one request. Source: https://developers.notion.com/reference/request-limits (1,000 blocks and 500 KB in
 * total)
 */
const MAX_LIST_LENGTH = 100;
const ELEMENTS = 900;
const BYTES = 400_000;

const Appended = z.looseObject({ results: z.array(z.looseObject({ id: z.string() })) });

/** How many blocks are written, including nested ones. */
export type WriteProgress = { written: number; total: number };

/** One request: blocks as Notion expects them, children to append to each afterwards, and blocks for later requests. */
type Batch = { blocks: Record<string, unknown>[]; within: BlockDraft[][]; size: number; left: BlockDraft[] };

/**
 * Appends blocks to a page or block, in order, in as many requests as the limits require. `progress` counts what was
 * written, even if a request fails.
 */
export async function appendBlocks(
  context: ToolContext,
  parent: string,
  drafts: BlockDraft[],
  progress: WriteProgress,
): Promise<void> {
  for (let rest = drafts; rest.length > 0; ) {
    const batch = takeBatch(rest);
    const { results } = await context.http.request({
      method: "PATCH",
      path: `/v1/blocks/${encodeURIComponent(parent)}/children`,
      body: { children: batch.blocks },
      answer: Appended,
    });
    progress.written += batch.size;
    for (const [index, within] of batch.within.entries()) {
      if (within.length > 0) await appendBlocks(context, getIdAt(results, index), within, progress);
    }
    rest = batch.left;
  }
}

/**
 * Returns the blocks that can be created together with a page. The response does not name its blocks, so nothing may
 * have to be appended to them.
 */
export function takeFirstBatch(drafts: BlockDraft[]): Pick<Batch, "blocks" | "size" | "left"> {
  const end = drafts.findIndex((draft) => splitBlock(draft).within.length > 0);
  const { blocks, size, left } = takeBatch(end < 0 ? drafts : drafts.slice(0, end));
  return { blocks, size, left: [...left, ...(end < 0 ? [] : drafts.slice(end))] };
}

/** Creates the error for a text that was written in part, with the number of blocks written. */
export function partialWriteProblem(
  error: unknown,
  { written, total }: WriteProgress,
  noun: string,
  url: string | undefined,
): unknown {
  if (!(error instanceof Problem)) return error;
  const progress =
    written === 0 ? `none of its ${formatCount(total, "block")}` : `${written} of ${formatCount(total, "block")}`;
  return new Problem(error.code, `${error.message} By then ${noun}, with ${progress} written.`, {
    hint: `Check the page in Notion, and add only what is missing.${url ? ` ${url}` : ""}`,
    details: { ...error.details, written, total, ...(url ? { url } : {}) },
    cause: error,
  });
}

function takeBatch(drafts: BlockDraft[]): Batch {
  const batch: Batch = { blocks: [], within: [], size: 0, left: drafts };
  let bytes = 0;
  for (const draft of drafts) {
    const { block, size, within } = splitBlock(draft);
    bytes += Buffer.byteLength(JSON.stringify(block));
    const full = batch.blocks.length === MAX_LIST_LENGTH || batch.size + size > ELEMENTS || bytes > BYTES;
    if (full && batch.blocks.length > 0) break;
    batch.blocks.push(block);
    batch.within.push(within);
    batch.size += size;
  }
  return { ...batch, left: drafts.slice(batch.blocks.length) };
}

/** Splits a block into the part that fits one request (one level of children, up to the list limit) and the rest. */
function splitBlock({ type, value, children }: BlockDraft): {
  block: Record<string, unknown>;
  size: number;
  within: BlockDraft[];
} {
  const simple = children.every((child) => child.children.length === 0);
  const along = simple ? children.slice(0, countFitting(children)) : [];
  const nested = along.map((child) => splitBlock(child).block);
  const inner = nested.length > 0 ? { ...value, children: nested } : value;
  return {
    block: { object: "block", type, [type]: inner },
    size: 1 + countBlocks(along),
    within: children.slice(along.length),
  };
}

/** Returns how many children fit by number and size. A table needs its first row. */
function countFitting(children: BlockDraft[]): number {
  let bytes = 0;
  const end = children.findIndex(({ value }, index) => {
    bytes += Buffer.byteLength(JSON.stringify(value));
    return index >= MAX_LIST_LENGTH || (index > 0 && bytes > BYTES / 2);
  });
  return end < 0 ? children.length : end;
}

function getIdAt(results: { id: string }[], index: number): string {
  const id = results[index]?.id;
  if (id !== undefined) return id;
  throw new Problem("SERVICE_FAILED", "Notion did not return the blocks that it wrote.");
}
