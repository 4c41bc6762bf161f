import type { AskResponse } from "#protocol/ask";
import { clean } from "#protocol/clean";
import { ERRORS, Problem } from "#protocol/errors";
import type { OutputCheck } from "#protocol/output/schema";
import { described } from "#ui/described";
import { showAnswer } from "./answer.ts";
import { checkValue, outputIn } from "./ask/output.ts";
import type { Kay, Link } from "./kay.ts";
import { profileFlag } from "./profile.ts";
import { isAskable, isYes } from "./prompt.ts";
import { isOverTime, overTime } from "./time-limit.ts";

/**
 * Show an answer, and settle the confirmations it waits for: asked here if somebody can be asked, else left open with how to answer. One
 * approved step may lead to another that needs a yes of its own. `--yes` answers none of them, since it was given before anybody saw
 * what would be done.
 *
 * @param check tells whether the answer has the value that was asked for
 */
export async function settle(kay: Kay, link: Link, first: AskResponse, check?: OutputCheck): Promise<void> {
  let answer = first;
  while (answer.status === "confirmation_required") {
    if (kay.flags.json || !isAskable(kay)) return leaveOpen(kay, answer);
    kay.terminal.stderr.write(`${described(answer)}\n`);
    const approved = await isYes(kay, "Carry it out?");
    const result = await confirmed(kay, link, answer.confirmation_token ?? "", approved);
    if (!approved) throw new Problem("DENIED", answer === first ? "Nothing was done." : "The rest was not done.");
    answer = result;
  }
  if (answer.status !== "error") checkValue(check, outputIn(answer.data));
  await showAnswer(kay, answer);
}

/** Send the answer to a confirmation. What was approved is carried out to its end, whoever is still there. */
export async function confirmed(kay: Kay, link: Link, token: string, approved: boolean): Promise<AskResponse> {
  try {
    return await link.api.confirm(token, approved, { signal: kay.signal });
  } catch (error) {
    if (!approved || !isOverTime(kay)) throw error;
    throw overTime(kay, {
      what: ", and what was approved may still be carried out.",
      hint: "Check what it did before you ask again: `kay sessions show latest`.",
    });
  }
}

async function leaveOpen(kay: Kay, answer: AskResponse): Promise<void> {
  kay.exit = ERRORS.CONFIRMATION_REQUIRED.exit;
  if (kay.flags.json) return kay.out.json(answer);
  const token = clean(answer.confirmation_token ?? "", { lines: false });
  await kay.out.markdown(described(answer));
  const command = `kay confirm ${token}${profileFlag(kay.profile())} --approve`;
  kay.out.note(`Nothing was done yet. Within five minutes: \`${command}\`, or \`--deny\`.`);
}
