import type { Api } from "#client/api/api";
import type { AddServiceResponse } from "#protocol/custom-services";
import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import { toLine } from "#ui/text/words";
import type { Kay } from "../../kay.ts";
import { canPrompt, promptLine } from "../../prompt/question.ts";
import { showDescription } from "../services/show-description.ts";
import { explainApprovals, listClaimedReads, toExpected } from "../services/trust-reads.ts";

/** Shows the tools of an MCP server and asks once about them, as lines in a terminal or as cards in a session. */
export type ToolReview = {
  show(look: AddServiceResponse): Promise<void>;
  /** Approves the tools, or throws. @throws Problem CANCELLED when they are not approved */
  approve(look: AddServiceResponse): Promise<{ trust_reads?: true }>;
};

/** Creates the review for a terminal; silent with `--json`. */
export function createTerminalReview(kay: Kay): ToolReview {
  return {
    show: async (look) => {
      if (!kay.flags.json) await showDescription(kay, look);
    },
    approve: (look) => askToApproveTools(kay, look),
  };
}

/**
 * Shows the tools of a connected MCP server and approves them with one answer. Where kay cannot prompt, it says how to
 * approve them.
 *
 * @throws Problem CANCELLED when they are not approved
 */
export async function approveTools(
  kay: Kay,
  api: Api,
  look: AddServiceResponse,
  review: ToolReview | undefined,
): Promise<void> {
  const { name } = look.service;
  const word = quoteShellWord(toLine(name));
  if (!review && !kay.flags.yes && (!canPrompt(kay) || kay.flags.json)) {
    kay.out.writeProgress(`Its tools are not approved yet. Review them with \`kay services approve ${word}\`.`);
    return;
  }
  const { show, approve } = review ?? createTerminalReview(kay);
  await show({ ...look, changes: [] });
  const trust = await approve(look);
  const response = await api.approveService(
    name,
    { ...trust, ...toExpected(look), dry_run: false },
    { signal: kay.signal },
  );
  const count = response.service.tools.length;
  kay.out.writeProgress(`Approved ${count === 1 ? "1 tool" : `${count} tools`} of ${toLine(name)}.`);
  explainApprovals(kay, response);
}

/**
 * Asks once about the shown tools: approve them, also run their reads without asking, or neither. `--yes` approves them
 * and trusts no read.
 *
 * @throws Problem CANCELLED when they are not approved, INPUT_REQUIRED where kay cannot prompt
 */
async function askToApproveTools(kay: Kay, look: AddServiceResponse): Promise<{ trust_reads?: true }> {
  if (kay.flags.yes) return {};
  const title = toLine(look.service.title);
  if (!canPrompt(kay))
    throw new Problem("INPUT_REQUIRED", `The tools of ${title} must be approved. Cannot prompt here.`, {
      hint: "Use --yes, or run this on a terminal.",
    });
  const reads = listClaimedReads(look).length;
  const choice =
    reads === 0
      ? "[y/N]"
      : `y: ask before each call, r: like y, but run the ${reads} that claim to only read without asking [y/r/N]`;
  const answer = await promptLine(kay, `Approve the tools of ${title}? ${choice} `, kay.signal);
  if (reads > 0 && /^r(eads?)?$/i.test(answer)) return { trust_reads: true };
  if (/^y(es)?$/i.test(answer)) return {};
  throw new Problem("CANCELLED", "Nothing was approved.");
}
