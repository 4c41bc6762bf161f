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
const MAX_ELEMENTS = 900;
const MAX_BYTES = 400_000;

const AppendResult = z.looseObject({ results: z.array(z.looseObject({ id: z.string() })) });

/** The number of blocks that are written, including nested ones. */
export type WriteProgress = { written: number; total: number };

/** One request: blocks in Notion's form, children to append to each of them later, and blocks for later requests. */
type Batch = { blocks: Record<string, unknown>[]; laterChildren: BlockDraft[][]; size: number; later: BlockDraft[] };

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
      answer: AppendResult,
    });
    progress.written += batch.size;
    for (const [index, laterChildren] of batch.laterChildren.entries()) {
      if (laterChildren.length > 0) await appendBlocks(context, getIdAt(results, index), laterChildren, progress);
    }
    rest = batch.later;
  }
}

/**
 * Returns the blocks that can be created together with a page. The response does not name them, so none may need a later
 * append.
 */
export function takeFirstBatch(drafts: BlockDraft[]): Pick<Batch, "blocks" | "size" | "later"> {
  const end = drafts.findIndex((draft) => splitBlock(draft).laterChildren.length > 0);
  const { blocks, size, later } = takeBatch(end < 0 ? drafts : drafts.slice(0, end));
  return { blocks, size, later: [...later, ...(end < 0 ? [] : drafts.slice(end))] };
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
  const batch: Batch = { blocks: [], laterChildren: [], size: 0, later: drafts };
  let bytes = 0;
  for (const draft of drafts) {
    const { block, size, laterChildren } = splitBlock(draft);
    bytes += Buffer.byteLength(JSON.stringify(block));
    const isFull = batch.blocks.length === MAX_LIST_LENGTH || batch.size + size > MAX_ELEMENTS || bytes > MAX_BYTES;
    if (isFull && batch.blocks.length > 0) break;
    batch.blocks.push(block);
    batch.laterChildren.push(laterChildren);
    batch.size += size;
  }
  return { ...batch, later: drafts.slice(batch.blocks.length) };
}

/** Splits a block into the part that fits one request (one level of children, up to the list limit) and the rest. */
function splitBlock({ type, value, children }: BlockDraft): {
  block: Record<string, unknown>;
  size: number;
  laterChildren: BlockDraft[];
} {
  const isFlat = children.every((child) => child.children.length === 0);
  const fittingChildren = isFlat ? children.slice(0, countFitting(children)) : [];
  const nested = fittingChildren.map((child) => splitBlock(child).block);
  const inner = nested.length > 0 ? { ...value, children: nested } : value;
  return {
    block: { object: "block", type, [type]: inner },
    size: 1 + countBlocks(fittingChildren),
    laterChildren: children.slice(fittingChildren.length),
  };
}

/** Returns how many children fit by number and size. A table needs its first row. */
function countFitting(children: BlockDraft[]): number {
  let bytes = 0;
  const end = children.findIndex(({ value }, index) => {
    bytes += Buffer.byteLength(JSON.stringify(value));
    return index >= MAX_LIST_LENGTH || (index > 0 && bytes > MAX_BYTES / 2);
  });
  return end < 0 ? children.length : end;
}

function getIdAt(results: { id: string }[], index: number): string {
  const id = results[index]?.id;
  if (id !== undefined) return id;
  throw new Problem("SERVICE_FAILED", "Notion did not return the blocks that it wrote.");
}
