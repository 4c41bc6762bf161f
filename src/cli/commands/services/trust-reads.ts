import type { AddServiceResponse } from "#protocol/custom-services";
import { quoteShellWord } from "#protocol/shell";
import { toLine } from "#ui/text/words";
import type { Kay } from "../../kay.ts";
import { wrapSentences } from "../../output/wrap.ts";
import { canPrompt, promptYesNo } from "../../prompt/question.ts";

/**
 * Asks whether the tools that an MCP server calls reads may run without asking, because only the server claims that
 * they change nothing. `--yes` does not answer it; `--trust-reads` does.
 */
export async function askToTrustReads(kay: Kay, look: AddServiceResponse): Promise<{ trust_reads?: true }> {
  const reads = listClaimedReads(look);
  if (reads.length === 0 || kay.flags.yes || kay.flags.json || !canPrompt(kay)) return {};
  const { title } = look.service;
  const { stderr } = kay.terminal;
  const claim = `${toLine(title)} says that these only read, which kay cannot check: ${reads.map(toLine).join(", ")}`;
  stderr.write(`${wrapSentences(claim, stderr.columns())}\n`);
  return (await promptYesNo(kay, "Run these without asking?")) ? { trust_reads: true } : {};
}

/** Explains that kay asks before claimed reads, and how to change that. */
export function explainApprovals(kay: Kay, response: AddServiceResponse): void {
  const count = listClaimedReads(response).length;
  if (count === 0) return;
  const which = count === 1 ? "a tool" : `${count} tools`;
  kay.out.writeProgress(
    `kay asks before it runs ${which} that only the server calls a read. To change that: \`kay services approve ${quoteShellWord(response.service.name)} --trust-reads\`.`,
  );
}

/** Lists the tools that only the server calls reads. */
export function listClaimedReads({ service }: AddServiceResponse): string[] {
  return service.tools.filter(({ claim }) => claim === "read").map(({ name }) => name);
}

/** Binds an approval to the tools that were shown. */
export function toExpected({ fingerprint }: AddServiceResponse): { expected?: string } {
  return fingerprint ? { expected: fingerprint } : {};
}
