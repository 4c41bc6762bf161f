import { type AskResponse, Receipt } from "#protocol/ask";
import { clean } from "#protocol/clean";
import { isErrorCode, Problem } from "#protocol/errors";
import { stripPlannerFooter } from "#ui/text/planner-footer";
import { omitReceiptLinks } from "#ui/text/receipt-links";
import { formatReceiptNotes, formatReceiptSummary } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { getOutput } from "./output.ts";

/**
 * Shows the backend's answer: the answer object with `--json`, otherwise the message and the receipts.
 *
 * @throws Problem for an answer with status `error` (the document is not printed twice)
 */
export async function showAnswer(kay: Kay, response: AskResponse): Promise<void> {
  const answer = kay.flags.json || !kay.terminal.stdout.isTerminal ? withoutFooter(response) : response;
  if (answer.status === "error") throw toProblem(answer);
  if (kay.flags.json) return kay.out.writeJson(answer);
  const output = getOutput(answer.data);
  if (output) kay.out.writeJson(output.value);
  else {
    const areReceiptsShown = kay.terminal.stdout.isTerminal && kay.terminal.stderr.isTerminal && !kay.flags.quiet;
    const { message, receipts } = answer;
    await kay.out.writeMarkdown(clean(areReceiptsShown ? omitReceiptLinks(message, toReceipts(receipts)) : message));
  }
  showReceipts(kay, answer.receipts);
}

/** Returns the answer without the planner's footer, which programs do not need. */
function withoutFooter(answer: AskResponse): AskResponse {
  const { message, data } = answer;
  const response = (data as { response?: unknown } | null | undefined)?.response;
  const value = typeof response === "string" ? { ...(data as object), response: stripPlannerFooter(response) } : data;
  return { ...answer, message: stripPlannerFooter(message), ...(value === undefined ? {} : { data: value }) };
}

/** Prints one line on stderr for each write that was or may have been done. Ignores values that are not receipts. */
export function showReceipts(kay: Kay, receipts: unknown): void {
  for (const receipt of toReceipts(receipts)) {
    const mark = MARKS[receipt.effect];
    const notes = formatReceiptNotes(receipt).map((note) => ` (${note})`);
    const url = receipt.url ? `  ${clean(receipt.url, { lines: false })}` : "";
    const painted = kay.out.paint(mark === "✓" ? "green" : "yellow", mark, "stderr");
    kay.out.writeProgress(`${painted} ${formatReceiptSummary(receipt.summary)}${notes.join("")}${url}`);
  }
}

/** Returns the receipts among the values. */
function toReceipts(values: unknown): Receipt[] {
  return (Array.isArray(values) ? values : []).flatMap((receipt) => Receipt.safeParse(receipt).data ?? []);
}

const MARKS: Record<Receipt["effect"], string> = { settled: "✓", planned: "-", sent: "?", unknown: "?" };

/** Returns the error of an answer with status `error`. */
function toProblem(answer: AskResponse): Problem {
  const code = isErrorCode(answer.code) ? answer.code : "SERVICE_FAILED";
  return new Problem(code, clean(answer.message), { details: { ...answer, status: "error" } });
}
