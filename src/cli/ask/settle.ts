import type { AskResponse } from "#protocol/ask";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { OutputCheck } from "#protocol/output/schema";
import { formatConfirmation } from "#ui/text/confirmation";
import { toLine } from "#ui/text/words";
import type { BackendHandle } from "../backend/handle.ts";
import { formatProfileFlag } from "../backend/profile-flag.ts";
import { EXIT, type ExitCode } from "../command.ts";
import type { Kay } from "../kay.ts";
import { canPrompt, promptYesNo } from "../prompt/question.ts";
import { isTimedOut, timedOutProblem } from "../time-limit.ts";
import { checkOutputValue, getOutput } from "./output.ts";
import { showAnswer } from "./show-answer.ts";

/**
 * Shows an answer and settles its confirmations: prompts, or leaves them open and prints how to answer. An approved
 * step may lead to another confirmation. `--yes` answers none of them, because it was given before anyone saw the plan.
 *
 * @param check validates the value of the answer
 */
export async function settleConfirmations(
  kay: Kay,
  link: BackendHandle,
  first: AskResponse,
  check?: OutputCheck,
): Promise<ExitCode> {
  for (const notice of first.notices ?? []) kay.out.writeProgress(toLine(notice));
  let answer = first;
  while (answer.status === "confirmation_required") {
    if (kay.flags.json || !canPrompt(kay)) return leaveOpen(kay, answer);
    kay.terminal.stderr.write(`${formatConfirmation(answer)}\n`);
    const approved = await promptYesNo(kay, "Continue?");
    const result = await sendConfirmation(kay, link, answer.confirmation_token ?? "", approved);
    if (!approved)
      throw new Problem("DENIED", answer === first ? "Nothing was done." : "The remaining steps were not run.");
    answer = result;
  }
  if (answer.status !== "error") checkOutputValue(check, getOutput(answer.data));
  await showAnswer(kay, answer);
  return EXIT.ok;
}

/** Sends the answer to a confirmation. Approved calls run to the end even if this process ends. */
export async function sendConfirmation(
  kay: Kay,
  link: BackendHandle,
  token: string,
  approved: boolean,
): Promise<AskResponse> {
  try {
    return await link.api.confirm(token, approved, { signal: kay.signal });
  } catch (error) {
    if (!approved || !isTimedOut(kay)) throw error;
    throw timedOutProblem(kay, {
      what: ", and the approved calls may still run.",
      mayHaveWritten: true,
      hint: "Check what it did before you ask again: `kay sessions show latest`.",
    });
  }
}

async function leaveOpen(kay: Kay, answer: AskResponse): Promise<ExitCode> {
  if (kay.flags.json) {
    kay.out.writeJson(answer);
    return EXIT.pending;
  }
  const token = clean(answer.confirmation_token ?? "", { lines: false });
  await kay.out.writeMarkdown(formatConfirmation(answer));
  const command = `kay confirm ${token}${formatProfileFlag(kay.profile())} --approve`;
  kay.out.writeProgress(`Nothing was done yet. Run \`${command}\` within five minutes, or use \`--deny\`.`);
  return EXIT.pending;
}
