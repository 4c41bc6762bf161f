import type { CheckContext } from "./context.ts";

/** Result of a check. `skipped` means that it could not be determined, which is not a fault. */
export type CheckState = "ok" | "warning" | "failed" | "skipped";

/** Finding of a check in one line, and the fix if there is one. */
export type Finding = { state: CheckState; detail: string; fix?: string };

/** One check. It changes nothing; an error that it throws is its failure. */
export type Check = {
  /** As in `--json`: `keychain`, `network.tls`. */
  id: string;
  /** Title for users, one or two words. */
  title: string;
  /** Null if there is nothing to check on this machine. */
  look(facts: CheckContext): Promise<Finding | null>;
};

/** Result of a check: a row of the output. */
export type CheckReport = Finding & { id: string; title: string /** How long it took. */; ms: number };

/** Reports that everything is in order. */
export function ok(detail: string): Finding {
  return { state: "ok", detail };
}

/** Reports that it works with a flaw, and the fix. */
export function warn(detail: string, fix: string): Finding {
  return { state: "warning", detail, fix };
}

/** Reports that it does not work, and the fix. */
export function fail(detail: string, fix: string): Finding {
  return { state: "failed", detail, fix };
}

/** Reports that it cannot be determined, and why. */
export function skip(detail: string, fix?: string): Finding {
  return { state: "skipped", detail, ...(fix ? { fix } : {}) };
}
