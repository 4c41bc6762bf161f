import { clean } from "#protocol/clean";
import { ERRORS, type ErrorCode, isErrorCode, Problem } from "#protocol/errors";
import type { Item, ToolItem, View } from "#ui/view/view";
import { getPartialAnswer } from "./document.ts";

/**
 * Returns the error for work that failed although the model answered: a friendly sentence must not read like success to
 * a script. That is a write, unless a later call of the same tool succeeded, or a read if no call succeeded.
 */
export function findFailedWork(view: View): Problem | undefined {
  if (view.dryRun) return undefined;
  const writes = listFailedWrites(view);
  const failed = writes.length > 0 ? writes : listFailedReads(view);
  const [first] = failed;
  if (first === undefined) return undefined;
  const isUnknown = failed.some(({ code }) => code === "OUTCOME_UNKNOWN");
  const kind = writes.length > 0 ? "change" : "read";
  const what = failed.length > 1 ? `${failed.length} ${kind}s failed. The first:` : `A ${kind} failed:`;
  const message = `${what} ${clean(first.error ?? "it did not finish.", { lines: false, max: 500 })}`;
  return new Problem(isUnknown ? "OUTCOME_UNKNOWN" : getCode(first), message, {
    hint: isUnknown ? ERRORS.OUTCOME_UNKNOWN.hint : "Correct the request and ask again.",
    details: getPartialAnswer(view),
  });
}

/** Returns the failed reads if nothing else was called. */
function listFailedReads(view: View): ToolItem[] {
  const calls = listOwnItems(view).filter((item) => item.kind === "tool");
  return calls.every(({ state, access }) => state === "failed" && access === "read") ? calls : [];
}

function listOwnItems({ items, generation_id }: View): Item[] {
  return items.filter((item) => "generation_id" in item && item.generation_id === generation_id);
}

function listFailedWrites(view: View): ToolItem[] {
  const own = listOwnItems(view);
  const later = own.map((item) => item.kind === "tool" && item.state === "done");
  const failed: ToolItem[] = [];
  for (const item of own) {
    if (item.kind !== "tool" || item.state !== "failed" || !isWrite(item, own)) continue;
    const after = Math.max(own.indexOf(item), findReceiptIndex(item, own));
    const correction = own.findIndex(
      (one, at) => at > after && later[at] && one.kind === "tool" && one.name === item.name,
    );
    if (correction < 0) failed.push(item);
    // One call corrects only one other.
    else later[correction] = false;
  }
  return failed;
}

/** Whether a call would have changed something. A backend without `access` has a receipt for each write. */
function isWrite({ call, access }: ToolItem, items: Item[]): boolean {
  return access ? access !== "read" : findReceiptIndex({ call }, items) >= 0;
}

function findReceiptIndex({ call }: Pick<ToolItem, "call">, items: Item[]): number {
  return items.findIndex((item) => item.kind === "receipt" && item.receipt.tool_call_id === call);
}

/** Returns the exit code of the call if a script must stop for it, as for any other failure. */
function getCode({ code }: ToolItem): ErrorCode {
  return isErrorCode(code) && (ERRORS[code].exit === 1 || code === "AUTH_REQUIRED") ? code : "SERVICE_FAILED";
}
