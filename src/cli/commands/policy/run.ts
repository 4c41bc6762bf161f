import { suggestName } from "#protocol/closest-name";
import type { PoliciesChange, PoliciesResponse, PolicyMode } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { formatDuration, parseApprovalTimeout } from "#protocol/time";
import { toLine } from "#ui/text/words";
import type { BackendHandle } from "../../backend/handle.ts";
import type { Kay } from "../../kay.ts";

/** Target of the policy for the time that approvals wait. Its value is a time. */
const APPROVAL_TIMEOUT = "approval-timeout";

export async function showPolicies(kay: Kay, target: string | undefined): Promise<void> {
  const { api } = await kay.openBackend({ signedIn: true });
  const policies = selectPolicies(await api.policies(), target);
  const rows = toPolicyRows(policies);
  if (target !== undefined && rows.length === 0) await mustExist(api, target);
  if (kay.flags.json) return kay.out.writeJson(policies);
  if (rows.length === 0) kay.out.writeProgress(NO_POLICIES_TEXT);
  else await kay.out.writeTable(POLICY_COLUMNS, rows);
}

/** Returns the policy for a target, or all policies without one. */
export function selectPolicies(request: PoliciesResponse, target: string | undefined): PoliciesResponse {
  if (target === undefined) return request;
  const { approval_timeout } = request;
  const timeout = target === APPROVAL_TIMEOUT && approval_timeout !== undefined ? { approval_timeout } : {};
  return { policies: request.policies.filter((policy) => policy.target === target), ...timeout };
}

/** Checks that the target exists, if the backend can list its services and tools. */
async function mustExist(api: BackendHandle["api"], target: string): Promise<void> {
  const [services, tools] = await Promise.all([api.services(), api.tools({})]);
  if (!services || !tools) return;
  const names = [
    ...["*", "outside-text", APPROVAL_TIMEOUT],
    ...services.services.map(({ name }) => name),
    ...tools.tools.map(({ name }) => name),
  ];
  if (names.includes(target)) return;
  throw new Problem("USAGE", `No service or tool is called ${JSON.stringify(toLine(target))}.`, {
    hint: suggestName(target, names, toLine) || "Run `kay tools list` to list them.",
  });
}

export async function setPolicy(kay: Kay, target: string, value: string): Promise<void> {
  const change = parsePolicy(target, value);
  const { api } = await kay.openBackend({ signedIn: true });
  const policies = await api.putPolicies(change);
  if (kay.flags.json) return kay.out.writeJson(policies);
  kay.out.writeLine(formatPolicy(target, change));
}

/**
 * Parses the value of a policy: a mode, or a time for `approval-timeout`.
 *
 * @throws Problem USAGE for an unknown mode, and for a time that is too short or too long
 */
export function parsePolicy(target: string, value: string): PoliciesChange {
  if (target === APPROVAL_TIMEOUT) return { policies: [], approval_timeout: parseTimeout(value) };
  if (value === "unset") return { policies: [{ target, mode: null }] };
  if (Object.hasOwn(MODES, value)) return { policies: [{ target, mode: value as PolicyMode }] };
  throw new Problem("USAGE", `Unknown mode ${JSON.stringify(toLine(value))}.`, {
    hint: "Use ask, reads, everything or unset.",
  });
}

function parseTimeout(value: string): number | null {
  const seconds = value === "unset" ? null : parseApprovalTimeout(value);
  if (seconds !== undefined) return seconds;
  throw new Problem("USAGE", `${JSON.stringify(toLine(value))} is not a time between 10s and 7d.`, {
    hint: "Use a time such as 30m, 24h or 7d, or unset.",
  });
}

/** Formats the result of a change. */
export function formatPolicy(target: string, { policies: [policy], approval_timeout }: PoliciesChange): string {
  const mode = policy?.mode ?? undefined;
  if (mode !== undefined) return `${toLine(target)}: ${mode} (${MODES[mode]})`;
  return `${toLine(target)}: ${approval_timeout ? formatDuration(approval_timeout * 1_000) : "unset"}`;
}

export const NO_POLICIES_TEXT = "No policies set. Each tool's default applies.";

export const POLICY_COLUMNS = ["TARGET", "MODE", ""];

/** Formats policies as rows of {@link POLICY_COLUMNS}. */
export function toPolicyRows({ policies, approval_timeout: timeout }: PoliciesResponse): string[][] {
  const rows = policies.map(({ target, mode }) => [toLine(target), mode, MODES[mode]]);
  if (timeout === undefined) return rows;
  return [...rows, [APPROVAL_TIMEOUT, formatDuration(timeout * 1_000), "how long approvals wait"]];
}

const MODES: Record<PolicyMode, string> = {
  ask: "ask every time",
  reads: "run only reads",
  everything: "run everything",
};
