import type { CheckContext } from "./context.ts";

/** Result of a check. `skipped` means that it could not be determined, which is not a fault. */
export type CheckState = "ok" | "warning" | "failed" | "skipped";

/** Finding of a check in one line, and the fix if there is one. */
export type Finding = { state: CheckState; detail: string; fix?: string };

/** One look at one thing. It changes nothing, and what it throws is how it failed. */
export type Check = {
  /** As in `--json`: `keychain`, `network.tls`. */
  id: string;
  /** For people, one or two words. */
  title: string;
  /** Null where there is nothing to look at on this machine. */
  look(facts: CheckContext): Promise<Finding | null>;
};

/** What became of a check: a row of the output. */
export type CheckReport = Finding & { id: string; title: string /** How long it took. */; ms: number };

/** It is as it should be. */
export function ok(detail: string): Finding {
  return { state: "ok", detail };
}

/** It works, but not as it should; what to do. */
export function warn(detail: string, fix: string): Finding {
  return { state: "warning", detail, fix };
}

/** It does not work; what to do. */
export function fail(detail: string, fix: string): Finding {
  return { state: "failed", detail, fix };
}

/** Nothing can be told, and why. */
export function skip(detail: string, fix?: string): Finding {
  return { state: "skipped", detail, ...(fix ? { fix } : {}) };
}
