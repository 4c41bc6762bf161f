import type { CheckReport } from "#cli/commands/doctor/check";
import { parseDocument, type Result } from "./kay.ts";

/**
 * The checks that `kay doctor --json` printed, by their ids, without the time they took; other fields of the document
 * beside them.
 */
export function readChecks(result: Pick<Result, "stdout">): Record<string, string> {
  const { checks } = parseDocument(result) as { checks: CheckReport[] };
  return Object.fromEntries(
    checks.map(({ id, state, detail, fix }) => [id, `${state}: ${detail}${fix ? ` → ${fix}` : ""}`]),
  );
}

/** The states of the checks that are not ok. */
export function unwell(result: Pick<Result, "stdout">): Record<string, string> {
  const { checks } = parseDocument(result) as { checks: CheckReport[] };
  return Object.fromEntries(checks.filter(({ state }) => state !== "ok").map(({ id, state }) => [id, state]));
}
