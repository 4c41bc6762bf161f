import type { Receipt } from "#protocol/ask";
import { clean } from "#protocol/clean";
import { isErrorCode, Problem } from "#protocol/errors";
import type { Planned } from "#protocol/interactions";
import { stripPlannerFooter } from "#ui/text/planner-footer";
import { formatCancellation, toLine } from "#ui/text/words";
import type { View } from "#ui/view/view";

/** Returns the texts of a generation in their order, or only the last one if the answer is a value. */
function getText(view: View): string {
  const texts = view.items.flatMap((item) => (item.kind === "text" && isOfNewest(view, item) ? [item.text] : []));
  return (view.output ? texts.slice(-1) : texts)
    .map((text) => stripPlannerFooter(text).trim())
    .filter(Boolean)
    .join("\n\n");
}

/** Returns the receipts of the newest generation. A refused write has none. */
export function getReceipts(view: View): Receipt[] {
  const refused = view.items.flatMap((item) =>
    item.kind === "tool" && item.state === "failed" && item.code && item.code !== "OUTCOME_UNKNOWN" ? [item.call] : [],
  );
  return view.items.flatMap((item): Receipt[] => {
    if (item.kind === "receipt" && isOfNewest(view, item))
      return item.receipt.effect === "sent" && refused.includes(item.receipt.tool_call_id) ? [] : [item.receipt];
    if (item.kind !== "planned" || !isOfNewest(view, item)) return [];
    const { tool_call_id, tool, summary } = item.planned;
    return [{ tool_call_id, tool, effect: "planned", summary }];
  });
}

/** Returns the planned calls of the newest generation, if it is a dry run, in their order. */
export function getPlannedCalls(view: View): Planned[] {
  const calls = view.items.flatMap((item) => (item.kind === "tool" ? [item.call] : []));
  const planned = view.items.flatMap((item) =>
    item.kind === "planned" && isOfNewest(view, item) ? [item.planned] : [],
  );
  return planned.sort((a, b) => calls.indexOf(a.tool_call_id) - calls.indexOf(b.tool_call_id));
}

/** Returns the answer object of a streamed generation. */
export function toAskDocument(view: View, prompt: string | undefined): Record<string, unknown> {
  const message = getText(view);
  return {
    status: "completed",
    message,
    ...(view.session_id ? { session_id: view.session_id } : {}),
    data: {
      ...(prompt === undefined ? {} : { prompt }),
      response: message,
      ...(view.output ? { output: view.output.value } : {}),
      ...(view.dryRun ? { dry_run: true, plan: getPlannedCalls(view).map(({ preview: _, ...call }) => call) } : {}),
    },
    ...(view.generation_id ? { generation_id: view.generation_id } : {}),
    ...(view.usage ? { usage: view.usage } : {}),
    ...getNotices(view),
    receipts: getReceipts(view),
  };
}

function getNotices(view: View): { notices?: string[] } {
  const notices = view.items.flatMap((item) => (item.kind === "notice" && isOfNewest(view, item) ? [item.text] : []));
  return notices.length > 0 ? { notices } : {};
}

/** Returns the error that a generation ended with, or undefined. */
export function getProblem(view: View): Problem | undefined {
  const end = view.items.findLast((item) => item.kind === "end");
  if (!end || (view.status !== "error" && view.status !== "cancelled")) return undefined;
  const { session_id, generation_id } = view;
  const text = getText(view);
  const details = {
    ...(text && { text }),
    ...end.details,
    session_id,
    generation_id,
    ...(view.usage ? { usage: view.usage } : {}),
    receipts: getReceipts(view),
  };
  if (end.how === "cancelled")
    return new Problem(
      "CANCELLED",
      `The request was ${toLine(formatCancellation(end.text)).replace(/^canceled$/, "canceled.")}`,
      { details },
    );
  const code = isErrorCode(end.code) ? end.code : "SERVICE_FAILED";
  const hint = end.hint ? { hint: clean(end.hint) } : {};
  return new Problem(code, clean(end.text) || "The request failed, and the backend gave no reason.", {
    details,
    ...hint,
  });
}

/** Whether the user denied a request in the view. */
export function wasDenied(view: View): boolean {
  return view.items.some(
    (item) => item.kind === "card" && isOfNewest(view, item) && ["deny", "cancel"].includes(item.ended?.action ?? ""),
  );
}

function isOfNewest({ generation_id }: View, item: { generation_id?: string }): boolean {
  return item.generation_id === generation_id;
}

/**
 * Adds the partial answer of a failed request: its IDs, text and receipts. A script with `--json` gets them only here.
 */
export function withPartialAnswer(error: unknown, view: View | undefined): unknown {
  if (!(error instanceof Problem) || !view?.generation_id) return error;
  const details = { ...getPartialAnswer(view), ...error.details };
  return new Problem(error.code, error.message, { hint: error.hint, details, cause: error });
}

/** Returns IDs, text and receipts of the newest generation so far. */
export function getPartialAnswer(view: View): Record<string, unknown> {
  const { session_id, generation_id } = view;
  const text = getText(view);
  return { session_id, generation_id, ...(text === "" ? {} : { text }), receipts: getReceipts(view) };
}
