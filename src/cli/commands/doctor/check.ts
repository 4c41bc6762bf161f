import type { CheckContext } from "./context.ts";

/** Result of a check. `skipped` means that it could not be determined, which is not a fault. */
export type CheckState = "ok" | "warning" | "failed" | "skipped";

/** Finding of a check in one line, and the fix if there is one. */
export type Finding = { state: CheckState; detail: string; fix?: string };

/** One check. It changes nothing; an error that it throws is its failure. */
export type Check = {
  /** ID in `--json`: `keychain`, `network.tls`. */
  id: string;
  /** Title for users, one or two words. */
  title: string;
  /** Runs the check; null if it does not apply to this machine. */
  look(facts: CheckContext): Promise<Finding | null>;
};

/** Result of a check: a row of the output. */
export type CheckReport = Finding & { id: string; title: string /** How long it took. */; ms: number };

/** Creates the finding of a check that passed. */
export function ok(detail: string): Finding {
  return { state: "ok", detail };
}

/** Creates the finding of a flaw, with its fix. */
export function warn(detail: string, fix: string): Finding {
  return { state: "warning", detail, fix };
}

/** Creates the finding of a fault, with its fix. */
export function fail(detail: string, fix: string): Finding {
  return { state: "failed", detail, fix };
}

/** Creates the finding of a check that could not be made, with the reason. */
export function skip(detail: string, fix?: string): Finding {
  return { state: "skipped", detail, ...(fix ? { fix } : {}) };
}
