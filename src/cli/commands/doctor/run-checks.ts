import { type ErrorCode, Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import { type Check, type CheckReport, type Finding, fail, skip } from "./check.ts";
import type { CheckContext } from "./context.ts";
import { BlockedCheck } from "./context.ts";

/** Time limit of every check, in ms. All checks start at once. */
const LIMIT_MS = 14_000;

/** Called with the reports in the order of the checks, each as soon as it and the earlier ones are ready. */
export type OnReport = (report: CheckReport, waiting: string[]) => void;

/** Runs all checks at once. A check that throws or takes too long has failed; the others continue. */
export async function runChecks(checks: Check[], facts: CheckContext, onReport: OnReport): Promise<CheckReport[]> {
  const finished = new Set<Check>();
  const pendingReports = checks.map((check) => getReport(check, facts).finally(() => finished.add(check)));
  const reports: CheckReport[] = [];
  // All are awaited below. A check that Ctrl+C ends before that must not be an unhandled rejection.
  for (const pendingReport of pendingReports) pendingReport.catch(() => {});
  for (const each of pendingReports) {
    const report = await each;
    if (report === null) continue;
    reports.push(report);
    onReport(
      report,
      checks.filter((check) => !finished.has(check)).map(({ title }) => title),
    );
  }
  return reports;
}

async function getReport(check: Check, facts: CheckContext): Promise<CheckReport | null> {
  const { clock } = facts.kay;
  const began = clock.now();
  const finding = await limit(check, facts).catch((error: unknown) => getFault(error, facts));
  if (finding === null) return null;
  const toShownLine = (text: string) => toLine(facts.scrub(text));
  return {
    id: check.id,
    state: finding.state,
    title: check.title,
    detail: toShownLine(finding.detail),
    ...(finding.fix ? { fix: toShownLine(finding.fix) } : {}),
    ms: Math.round(clock.now() - began),
  };
}

async function limit(check: Check, facts: CheckContext): Promise<Finding | null> {
  const controller = new AbortController();
  const late = facts.kay.clock
    .sleep(LIMIT_MS, AbortSignal.any([facts.signal, controller.signal]))
    .catch(() => {})
    .then((): Finding | Promise<never> => {
      if (facts.signal.aborted) throw facts.signal.reason;
      if (controller.signal.aborted) return new Promise(() => {});
      return fail(
        `It did not finish within ${LIMIT_MS / 1000} s.`,
        "Run `kay doctor` again. If it still fails, report it with `kay doctor --bundle`.",
      );
    });
  late.catch(() => {});
  try {
    return await Promise.race([check.look(facts), late]);
  } finally {
    controller.abort();
  }
}

function getFault(error: unknown, { signal }: CheckContext): Finding {
  if (signal.aborted) throw signal.reason;
  if (error instanceof BlockedCheck) return skip(error.message);
  if (error instanceof Problem) return fail(error.message, getAdvice(error));
  const message = error instanceof Error ? error.message : String(error);
  return fail(`Something went wrong inside kay: ${message}`, "Report it with `kay doctor --bundle`.");
}

/** Returns the fix for a problem, without hints to run `kay doctor`. */
function getAdvice({ hint, code }: Problem): string {
  if (hint !== "" && !hint.includes("`kay doctor`")) return hint;
  return ADVICE[code] ?? "Report it with `kay doctor --bundle`.";
}

const ADVICE: Partial<Record<ErrorCode, string>> = {
  LOCAL_SECRET_REQUIRED: "Another program answers at the local backend's address. Stop that program and try again.",
  KEYCHAIN_UNAVAILABLE: "Restart the keychain service, or log out and in again.",
};
