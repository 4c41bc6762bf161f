import type { Receipt } from "#protocol/ask";
import type { GenerationStatus, StreamPart } from "#protocol/events";
import type { Planned } from "#protocol/interactions";
import type { NumberedPart } from "#protocol/numbered-parts";
import { isGenerationEnd } from "#protocol/numbered-parts";
import { addAuthCard, addCard, closeAuthCard, closeCard, extendCard, updateAuthCard } from "./cards.ts";
import { updateTool } from "./tools.ts";
import type { Item, ReceiptItem, View } from "./view.ts";

/** A part and its arrival time in ms since 1970, if known. */
export type TimedPart = NumberedPart & { at?: number };

/** Applies a part to the view. Parts with a number up to `last` change nothing, so replays may overlap. */
export function reduceView(view: View, { number, part, at }: TimedPart): View {
  // Presence is not part of the log: it describes the current state.
  if (part.type === "data-presence") return withPresence(view, part.data);
  if (number <= view.last) return view;
  const next = { ...applyPart(view, part, getEventTime(part) ?? at), last: number };
  return isGenerationEnd(part) ? { ...next, items: next.items.map(settleItem) } : next;
}

function withPresence({ present: _, ...view }: View, { clients, total }: PresenceData): View {
  return { ...view, presence: clients, ...(total === undefined ? {} : { present: total }) };
}

type PresenceData = Extract<StreamPart, { type: "data-presence" }>["data"];

/** Applies several parts to the view. Joins consecutive pieces of one text first. */
export function reduceViewAll(view: View, parts: readonly TimedPart[]): View {
  return joinDeltas(parts.filter(({ number, part }) => number > view.last || part.type === "data-presence")).reduce(
    reduceView,
    view,
  );
}

function joinDeltas(parts: TimedPart[]): TimedPart[] {
  const all: TimedPart[] = [];
  for (const next of parts) {
    const last = all.at(-1);
    const isMore = last?.part.type === "text-delta" && next.part.type === "text-delta" && last.part.id === next.part.id;
    if (isMore && last?.part.type === "text-delta" && next.part.type === "text-delta") {
      if (next.number > last.number)
        all[all.length - 1] = { ...next, part: { ...next.part, delta: last.part.delta + next.part.delta } };
    } else all.push(next);
  }
  return all;
}

/** Returns when the backend wrote the part, in ms, so that a replay shows the same durations as the live session. */
function getEventTime(part: StreamPart & { at?: unknown }): number | undefined {
  const time = typeof part.at === "string" ? Date.parse(part.at) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function applyPart(view: View, part: StreamPart, now?: number): View {
  switch (part.type) {
    case "start":
      return startGeneration(view, part.messageMetadata);
    case "data-status":
      return isBehind(view, part.data) ? view : { ...view, ...getIds(part.data), status: part.data.status };
    case "data-user-message":
      return withItem(view, { kind: "message", ...getMessage(part.data) });
    case "data-notice":
      return withItem(view, { kind: "notice", generation_id: view.generation_id, text: part.data.text });
    case "text-start":
    case "reasoning-start":
    case "text-delta":
    case "reasoning-delta":
    case "text-end":
    case "reasoning-end":
      return withText(view, part);
    case "data-receipt":
      return withReceipt(view, part.data);
    case "data-planned":
      return withPlanned(view, part.data);
    case "data-interaction-request":
      return updateTool(addCard(view, part.data), part, now);
    case "data-interaction-extended":
      return extendCard(view, part.data);
    case "data-interaction-response":
      return updateTool(closeCard(view, part.data), part, now);
    case "data-auth-needed":
      return updateTool(addAuthCard(view, part.data), part, now);
    case "data-auth-progress":
      return updateAuthCard(view, part.data.connected);
    case "data-auth-result":
      return updateTool(closeAuthCard(view, part.data), part, now);
    case "data-usage":
      return withItem({ ...view, usage: part.data }, { kind: "usage", usage: part.data });
    case "data-output":
      return { ...view, output: { value: part.data.value } };
    case "error":
      return withItem({ ...view, status: "error" }, { kind: "end", how: "error", ...getErrorTexts(part) });
    case "abort":
      return withItem({ ...view, status: "cancelled" }, { kind: "end", how: "cancelled", text: part.reason ?? "" });
    case "finish":
      return { ...view, status: "completed", ...(part.finishReason === "other" ? { unanswered: true } : {}) };
    default:
      return updateTool(view, part, now);
  }
}

function startGeneration(
  { structured: _, output: __, dryRun: ___, usage: ____, unanswered: _____, ...view }: View,
  metadata: StartMetadata = {},
): View {
  const structured = metadata.structured ? { structured: true as const } : {};
  const dryRun = metadata.dry_run ? { dryRun: true as const } : {};
  return { ...view, ...getIds(metadata), status: "running", ...structured, ...dryRun };
}

type StartMetadata = Extract<StreamPart, { type: "start" }>["messageMetadata"];

/** Whether the status belongs to a queued generation, which is not visible yet. */
function isBehind({ generation_id, status }: View, next: { generation_id: string; status: GenerationStatus }): boolean {
  const isOver = status === undefined || ["completed", "cancelled", "error"].includes(status);
  return next.status === "paused" && generation_id !== undefined && generation_id !== next.generation_id && !isOver;
}

function getIds(ids: { session_id?: string; generation_id?: string } = {}): Partial<View> {
  return {
    ...(ids.session_id ? { session_id: ids.session_id } : {}),
    ...(ids.generation_id ? { generation_id: ids.generation_id } : {}),
  };
}

function getErrorTexts({ errorText, code, hint, details }: Extract<StreamPart, { type: "error" }>) {
  return { text: errorText, ...(code ? { code } : {}), ...(hint ? { hint } : {}), ...(details ? { details } : {}) };
}

function getMessage({ text, source, attachments }: Extract<StreamPart, { type: "data-user-message" }>["data"]) {
  return { text, source, ...(attachments ? { attachments } : {}) };
}

function withItem(view: View, item: Item): View {
  return { ...view, items: [...view.items, item] };
}

type TextPart = Extract<StreamPart, { type: `${"text" | "reasoning"}-${"start" | "delta" | "end"}` }>;

/** Applies a part of a text. Text IDs restart with each generation, so the newest text with an ID is meant. */
function withText(view: View, part: TextPart): View {
  const kind = part.type.startsWith("text") ? "text" : "reasoning";
  const delta = part.type === "text-delta" || part.type === "reasoning-delta" ? part.delta : "";
  const index = view.items.findLastIndex((item) => item.kind === kind && item.id === part.id && !item.done);
  const current = view.items[index];
  if (current?.kind !== kind) {
    if (part.type.endsWith("-end")) return view;
    const { generation_id } = view;
    return withItem(view, { kind, id: part.id, generation_id, text: delta, done: false });
  }
  const changed = { ...current, text: current.text + delta, done: part.type.endsWith("-end") };
  return { ...view, items: view.items.with(index, changed) };
}

function withPlanned(view: View, planned: Planned): View {
  if (view.items.some((item) => isPlan(item, planned.tool_call_id))) return view;
  return withItem(view, { kind: "planned", generation_id: view.generation_id, planned });
}

function isPlan(item: Item, call: string): boolean {
  return item.kind === "planned" && item.planned.tool_call_id === call;
}

/** Adds or updates the one receipt of a write. */
function withReceipt(view: View, receipt: Receipt): View {
  if (view.items.some((item) => isPlan(item, receipt.tool_call_id))) return view;
  const index = view.items.findLastIndex(
    (item) => item.kind === "receipt" && item.receipt.tool_call_id === receipt.tool_call_id,
  );
  const item: ReceiptItem = { kind: "receipt", generation_id: view.generation_id, receipt };
  return index < 0 ? withItem(view, item) : { ...view, items: view.items.with(index, item) };
}

/** Closes an item when its generation ends: texts are complete, and unfinished calls have failed. */
function settleItem(item: Item): Item {
  if (item.kind === "text" || item.kind === "reasoning") return item.done ? item : { ...item, done: true };
  if (item.kind === "card") return item.ended || item.over ? item : { ...item, over: true };
  if (item.kind === "receipt") return item.receipt.effect === "settled" || item.over ? item : { ...item, over: true };
  const isOver = item.kind !== "tool" || !["starting", "working", "paused"].includes(item.state);
  return isOver ? item : { ...item, state: "failed", error: item.error ?? "It did not finish." };
}
