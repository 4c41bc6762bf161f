import { suggestName } from "#protocol/closest-name";
import type { Policy, PolicyMode } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import type { BackendHandle } from "../../backend/handle.ts";
import type { Kay } from "../../kay.ts";

export async function showPolicies(kay: Kay, target: string | undefined): Promise<void> {
  const { api } = await kay.openBackend({ signedIn: true });
  const all = await api.policies();
  const policies = target === undefined ? all : all.filter((each) => each.target === target);
  if (target !== undefined && policies.length === 0) await mustExist(api, target);
  if (kay.flags.json) return kay.out.writeJson({ policies });
  if (policies.length === 0) kay.out.writeProgress(NO_POLICIES_TEXT);
  else await kay.out.writeTable(POLICY_COLUMNS, policies.map(toPolicyRow));
}

/** Checks that the target exists, if the backend can list its services and tools. */
async function mustExist(api: BackendHandle["api"], target: string): Promise<void> {
  const [services, tools] = await Promise.all([api.services(), api.tools({})]);
  if (!services || !tools) return;
  const names = ["*", ...services.services.map(({ name }) => name), ...tools.tools.map(({ name }) => name)];
  if (names.includes(target)) return;
  throw new Problem("USAGE", `No service or tool is called ${JSON.stringify(toLine(target))}.`, {
    hint: suggestName(target, names, toLine) || "Run `kay tools list` to list them.",
  });
}

export async function setPolicy(kay: Kay, target: string, mode: string): Promise<void> {
  const known = parsePolicyMode(mode);
  const { api } = await kay.openBackend({ signedIn: true });
  const policies = await changePolicy(api, target, known);
  if (kay.flags.json) return kay.out.writeJson({ policies });
  kay.out.writeLine(formatPolicy(target, known));
}

export type PolicyChoice = PolicyMode | "unset";

/**
 * Parses a mode.
 *
 * @throws Problem USAGE for an unknown mode
 */
export function parsePolicyMode(mode: string): PolicyChoice {
  if (mode === "unset" || Object.hasOwn(MODES, mode)) return mode as PolicyChoice;
  throw new Problem("USAGE", `Unknown mode ${JSON.stringify(toLine(mode))}.`, {
    hint: "Use ask, reads, everything or unset.",
  });
}

/** Sets one policy and returns all of them. */
export async function changePolicy(api: BackendHandle["api"], target: string, mode: PolicyChoice): Promise<Policy[]> {
  return api.putPolicies([{ target, mode: mode === "unset" ? null : mode }]);
}

export function formatPolicy(target: string, mode: PolicyChoice): string {
  return `${toLine(target)}: ${mode === "unset" ? "unset" : `${mode} (${MODES[mode]})`}`;
}

export const NO_POLICIES_TEXT = "No policies set. Each tool's default applies.";

export const POLICY_COLUMNS = ["TARGET", "MODE", ""];

/** Formats a policy as a row of {@link POLICY_COLUMNS}. */
export function toPolicyRow({ target, mode }: Policy): string[] {
  return [toLine(target), mode, MODES[mode]];
}

const MODES: Record<PolicyMode, string> = {
  ask: "ask every time",
  reads: "run reads only",
  everything: "run everything",
};
