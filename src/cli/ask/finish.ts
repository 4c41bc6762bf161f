import { clean } from "#protocol/clean";
import { ERRORS, type ErrorCode, isErrorCode, Problem } from "#protocol/errors";
import type { OutputCheck } from "#protocol/output/schema";
import { formatCard, formatPlanned, formatUsage, NOTHING_SENT_TEXT } from "#ui/text/words";
import type { CardItem, Item, ToolItem, View } from "#ui/view/view";
import { EXIT, type ExitCode } from "../command.ts";
import type { Kay } from "../kay.ts";
import { getPartialAnswer, getPlannedCalls, getProblem, getReceipts, toAskDocument, wasDenied } from "./document.ts";
import type { FollowResult } from "./follow.ts";
import { checkOutputValue } from "./output.ts";
import { getAnswerCommands, toPendingItem } from "./pending-items.ts";
import { showReceipts } from "./show-answer.ts";

/**
 * How the end is shown. `prompt` is for the document. `lines`: every part was printed as a line. `refused`: the command
 * was meant to deny, so a denial is not a failure. `check` validates the value of the answer.
 */
export type FinishOptions = { prompt?: string; lines: boolean; refused?: boolean; check?: OutputCheck };

/**
 * Shows how following ended, and chooses the exit code: 8 at an open card, 5 after a denial, 1 if the
 * planner did not understand.
 *
 * @throws Problem for a generation that failed or was canceled, or in which a write failed
 */
export async function finishAsk(
  kay: Kay,
  { view, waiting }: FollowResult,
  { prompt, lines, refused = false, check }: FinishOptions,
): Promise<ExitCode> {
  const problem = getProblem(view);
  if (problem && !(refused && problem.code === "CANCELLED")) {
    // The error was printed as a line, so stdout must get no document.
    if (lines) kay.flags = { ...kay.flags, json: false };
    throw problem;
  }
  const exit = waiting.length > 0 ? EXIT.pending : wasDenied(view) && !refused ? EXIT.denied : EXIT.ok;
  const failure = exit === EXIT.ok ? findFailedWork(view) : undefined;
  if (failure) throw failure;
  if (waiting.length === 0) checkOutputValue(check, view.output);
  const code = exit === EXIT.ok && view.unanswered ? EXIT.failed : exit;
  if (lines) return code;
  if (kay.flags.json) {
    const document = toAskDocument(view, prompt);
    const pending = waiting.map((card) => toPendingItem(kay, card, view));
    kay.out.writeJson(waiting.length > 0 ? { ...document, status: "pending", pending } : document);
    return code;
  }
  if (view.output) kay.out.writeJson(view.output.value);
  if (view.dryRun) showPlan(kay, view);
  else showReceipts(kay, getReceipts(view));
  for (const card of waiting) showOpenCard(kay, card);
  if (view.usage && kay.terminal.stderr.isTerminal)
    kay.out.writeProgress(kay.out.paint("dim", formatUsage(view.usage), "stderr"));
  return code;
}

/** Shows the plan of a dry run in full. It is part of the answer, unless that is a value. */
function showPlan(kay: Kay, view: View): void {
  const text = [
    ...getPlannedCalls(view).map((planned) => `\n${formatPlanned(planned)}`),
    `\n${NOTHING_SENT_TEXT}`,
  ].join("\n");
  if (view.output) kay.terminal.stderr.write(`${text}\n`);
  else kay.out.writeLine(text);
}

/** Shows an open request and the commands that answer it. It is part of the answer, so it goes to stdout. */
function showOpenCard(kay: Kay, card: CardItem): void {
  kay.out.writeLine(formatCard(card));
  kay.out.writeProgress(
    `Waiting for your answer. Run one of:\n${getAnswerCommands(kay, card)
      .map((command) => `  ${command}`)
      .join("\n")}`,
  );
}

/**
 * Returns the error for failed work that the model reported as an answer, so that a script does not mistake it for
 * success. That is a write without a later successful call of the same tool, or a read if no call succeeded.
 */
function findFailedWork(view: View): Problem | undefined {
  if (view.dryRun) return undefined;
  const writes = listFailedWrites(view);
  const failures = writes.length > 0 ? writes : listFailedReads(view);
  const [first] = failures;
  if (first === undefined) return undefined;
  const isUnknown = failures.some(({ code }) => code === "OUTCOME_UNKNOWN");
  const kind = writes.length > 0 ? "change" : "read";
  const subject = failures.length > 1 ? `${failures.length} ${kind}s failed. The first:` : `A ${kind} failed:`;
  const message = `${subject} ${clean(first.error ?? "it did not finish.", { lines: false, max: 500 })}`;
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
  const items = listOwnItems(view);
  const later = items.map((item) => item.kind === "tool" && item.state === "done");
  const failures: ToolItem[] = [];
  for (const item of items) {
    if (item.kind !== "tool" || item.state !== "failed" || !isWrite(item, items)) continue;
    const last = Math.max(items.indexOf(item), findReceiptIndex(item, items));
    const correction = items.findIndex(
      (other, index) => index > last && later[index] && other.kind === "tool" && other.name === item.name,
    );
    if (correction < 0) failures.push(item);
    // One call corrects only one other.
    else later[correction] = false;
  }
  return failures;
}

/** Whether a call would have changed something. A backend without `access` has a receipt for each write. */
function isWrite({ call, access }: ToolItem, items: Item[]): boolean {
  return access ? access !== "read" : findReceiptIndex({ call }, items) >= 0;
}

function findReceiptIndex({ call }: Pick<ToolItem, "call">, items: Item[]): number {
  return items.findIndex((item) => item.kind === "receipt" && item.receipt.tool_call_id === call);
}

/** Returns the code of a failed call that determines the exit code, such as a missing connection. */
function getCode({ code }: ToolItem): ErrorCode {
  return isErrorCode(code) && (ERRORS[code].exit === 1 || code === "AUTH_REQUIRED") ? code : "SERVICE_FAILED";
}
