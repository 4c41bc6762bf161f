import { truncateCells } from "#ui/screen/cells";
import { toLine } from "#ui/text/words";
import { EXIT, type ExitCode } from "../../command.ts";
import type { Kay } from "../../kay.ts";
import { backendCheck, clockCheck, postgresCheck } from "./backend.ts";
import type { Check, CheckReport } from "./check.ts";
import { createCheckContext } from "./context.ts";
import { dataCheck } from "./data.ts";
import { keychainCheck, storeCheck } from "./keychain.ts";
import { mcpCheck } from "./mcp.ts";
import { modelCheck } from "./model.ts";
import { networkChecks } from "./network.ts";
import { buildReport, writeReport } from "./report.ts";
import { type OnReport, runChecks } from "./run-checks.ts";
import { createServiceChecks } from "./service.ts";
import { runtimeCheck, settingsCheck } from "./settings.ts";
import { formatReport, formatSummary } from "./show.ts";
import { connectionsCheck, signInCheck } from "./sign-in.ts";
import { streamCheck } from "./stream.ts";
import { browserCheck, terminalCheck } from "./terminal.ts";

/** Options of `kay doctor`. `bundle` is a file name, or true for a file in the current folder. */
export type DoctorOptions = { refresh?: boolean; bundle?: boolean | string };

/** Runs `kay doctor`: checks everything that kay needs and says how to fix problems. Exits with 1 if a check failed. */
export async function runDoctor(kay: Kay, service: string | undefined, options: DoctorOptions): Promise<ExitCode> {
  const facts = createCheckContext(kay, kay.machine(), { refresh: options.refresh === true, signal: kay.signal });
  const reports = await format(kay, (onReport) => runChecks(listChecks(service), facts, onReport));
  const isOk = reports.every(({ state }) => state !== "failed");
  const exit = isOk ? EXIT.ok : EXIT.failed;
  const file = options.bundle
    ? await writeReport(facts, options.bundle === true ? null : options.bundle, await buildReport(facts, reports))
    : undefined;
  if (kay.flags.json) {
    kay.out.writeJson({ ok: isOk, checks: reports, ...(file ? { bundle: file } : {}) });
    return exit;
  }
  kay.out.writeProgress(formatSummary(reports));
  if (file) kay.out.writeProgress(`Wrote the report to ${toLine(file)}. Read it before you share it.`);
  return exit;
}

/** On a terminal, each report is shown as soon as it is ready; elsewhere, all are printed as rows at the end. */
async function format(kay: Kay, work: (onReport: OnReport) => Promise<CheckReport[]>): Promise<CheckReport[]> {
  if (kay.flags.json) return work(() => {});
  if (!kay.terminal.stdout.isTerminal) {
    const reports = await work(() => {});
    await kay.out.writeTable(
      [],
      reports.map(({ id, state, detail, fix = "" }) => [id, state, detail, fix]),
    );
    return reports;
  }
  const waitFor = (titles: string[]) => {
    if (!kay.terminal.stderr.isTerminal || kay.flags.quiet) return;
    const text = truncateCells(`Checking: ${titles.join(", ")}`, kay.terminal.stderr.columns() - 1);
    kay.out.setStatusLine(titles.length === 0 ? null : text);
  };
  try {
    return await work((report, waiting) => {
      kay.out.writeVerbatim(formatReport(kay, report));
      waitFor(waiting);
    });
  } finally {
    kay.out.setStatusLine(null);
  }
}

/** Lists the checks in the order in which they are shown: machine, network, backend, sign-in, and one service. */
function listChecks(service: string | undefined): Check[] {
  return [
    ...[runtimeCheck, settingsCheck, storeCheck, keychainCheck, terminalCheck, browserCheck, dataCheck, postgresCheck],
    ...[...networkChecks, backendCheck, clockCheck, streamCheck, signInCheck, connectionsCheck, mcpCheck, modelCheck],
    ...(service === undefined ? [] : createServiceChecks(service)),
  ];
}
