import { ERRORS } from "#protocol/errors";
import type { OutputCheck } from "#protocol/output/schema";
import type { CardItem, View } from "#ui/view";
import { cardText, NOTHING_SENT, plannedText } from "#ui/words";
import { showReceipts } from "../answer.ts";
import type { Kay } from "../kay.ts";
import { wrapSentences } from "../wrap.ts";
import { documentOf, isDenied, plannedIn, problemIn, receiptsIn } from "./document.ts";
import type { Followed } from "./follow.ts";
import { checkValue } from "./output.ts";
import { answersOf, waitingOf } from "./script.ts";

/**
 * How the end is told: `prompt` for the document, `lines` where every part was a line already. `refused`: a no was what the command was told
 * to say, so that one is no failure. `check` tells whether the answer has the value that was asked for.
 */
export type Finishing = { prompt?: string; lines: boolean; refused?: boolean; check?: OutputCheck };

/**
 * Tell how following ended, and choose the exit code: 8 at an open card, 5 after a no.
 *
 * @throws Problem for a generation that failed or was cancelled
 */
export async function finish(
  kay: Kay,
  { view, waiting }: Followed,
  { prompt, lines, refused = false, check }: Finishing,
): Promise<void> {
  const problem = problemIn(view);
  if (problem && !(refused && problem.code === "CANCELLED")) {
    // The part that said so was a line of its own; nothing else may stand on stdout.
    if (lines) kay.flags = { ...kay.flags, json: false };
    throw problem;
  }
  if (waiting.length === 0) checkValue(check, view.output);
  if (waiting.length > 0) kay.exit = ERRORS.INTERACTION_REQUIRED.exit;
  else if (isDenied(view) && !refused) kay.exit = ERRORS.DENIED.exit;
  if (lines) return;
  if (kay.flags.json) {
    const document = documentOf(view, prompt);
    const pending = waiting.map((card) => waitingOf(kay, card, view));
    return kay.out.json(waiting.length > 0 ? { ...document, status: "pending", pending } : document);
  }
  if (view.output) kay.out.json(view.output.value);
  if (view.dryRun) showPlan(kay, view);
  else showReceipts(kay, receiptsIn(view));
  for (const card of waiting) tellOpen(kay, card);
}

/** What was not sent, whole. It is part of the answer, unless that is a value. */
function showPlan(kay: Kay, view: View): void {
  const text = [...plannedIn(view).map((planned) => `\n${plannedText(planned)}`), `\n${NOTHING_SENT}`].join("\n");
  if (view.output) kay.terminal.stderr.write(`${text}\n`);
  else kay.out.line(fitted(kay, text));
}

/** What waits, and the commands that answer it. It is part of the answer: where nobody can be asked, it goes to stdout. */
function tellOpen(kay: Kay, card: CardItem): void {
  kay.out.line(fitted(kay, cardText(card)));
  kay.out.note(
    `It waits for an answer:\n${answersOf(kay, card)
      .map((command) => `  ${command}`)
      .join("\n")}`,
  );
}

/** An answer that a person reads, broken between words. */
function fitted({ terminal: { stdout } }: Kay, text: string): string {
  return stdout.isTerminal ? wrapSentences(text, stdout.columns()) : text;
}
