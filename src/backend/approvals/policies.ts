import type { ServiceConfiguration } from "#connectors/service";
import type { Access, ToolMode } from "#connectors/tool";
import { cleanLine } from "#protocol/clean";
import { findClosestName, suggestName } from "#protocol/closest-name";
import type { Policy } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { getBaseName } from "#protocol/tool-names";

/** The inputs to the decision whether a call needs the user. */
export type ModeQuestion = {
  /** `mode` is what the tool itself declares. */
  tool: { name: string; service: string; access: Access; mode?: ToolMode };
  /** The mode that these arguments require. */
  fromInput?: ToolMode;
  /** All policies of the user. */
  policies: Policy[];
  /** The mode of a plain write that no policy covers. */
  writes: "auto" | "confirm_before_execution";
};

/**
 * The mode that applies, and the reason. `everyTime` means that the user wants to be asked every time, so no saved
 * approval counts. `why` is a clause without a full stop: "your policy for slack is to ask every time".
 */
export type EffectiveMode = { mode: ToolMode; why: string; everyTime: boolean };

/**
 * Decides when a call needs the user. The user's policies replace the tool's default. The strictest policy that applies
 * wins, and none allows more than the arguments require.
 */
export function resolveMode({ tool, fromInput, policies, writes }: ModeQuestion): EffectiveMode {
  const applicable = policies.filter(
    ({ target, mode }) =>
      [tool.name, tool.service, "*"].includes(target) || (mode !== "everything" && isLimited(tool, target)),
  );
  const views =
    applicable.length > 0 ? applicable.map((policy) => applyPolicy(tool, policy)) : [applyDefault(tool, writes)];
  const view = views.reduce((first, other) => (isStricter(other.mode, first.mode) ? other : first));
  const everyTime = applicable.some(({ mode }) => mode === "ask");
  if (fromInput === undefined || fromInput === "auto" || isStricter(view.mode, fromInput))
    return { ...view, everyTime };
  // A policy that is equally strict is the better reason, because the user made it. A default is not, because a policy
  // would change nothing.
  if (fromInput === view.mode && applicable.length > 0) return { ...view, everyTime };
  return { mode: fromInput, why: `with these arguments ${tool.name} always ${WHEN[fromInput]}`, everyTime };
}

/**
 * Whether a policy that limits a target also limits this tool: `jira` limits `jira@work` too, but allows only the account
 * that it was set for. A raw request can do what any tool of its service does, so a limit of any of them applies to it.
 */
function isLimited({ name, service }: ModeQuestion["tool"], target: string): boolean {
  const base = getBaseName(service);
  if (!name.includes("."))
    return [service, base].some((prefix) => target === prefix || target.startsWith(`${prefix}.`));
  return service.includes("@") && [getBaseName(name), base].includes(target);
}

/** Target of the policy about text that others wrote. It is unset by default: calls with such text ask. */
const OUTSIDE_TEXT = "outside-text";

/** Whether the user lets calls of this access run although they carry text that others wrote. */
export function isTrusted(policies: Policy[], access: Access): boolean {
  const mode = policies.find(({ target }) => target === OUTSIDE_TEXT)?.mode;
  return mode === "everything" || (mode === "reads" && access === "read");
}

type View = { mode: ToolMode; why: string };

function applyPolicy({ access, mode }: ModeQuestion["tool"], { target, mode: policy }: Policy): View {
  const label = target === "*" ? "everything" : target;
  const isFree = policy === "everything" || (policy === "reads" && access === "read");
  // A review after the call belongs to the tool. No policy removes it.
  const runMode = mode === "confirm_after_execution" ? mode : "auto";
  return {
    mode: isFree ? runMode : "confirm_before_execution",
    why: `your policy for ${label} is to ${POLICY[policy]}`,
  };
}

function applyDefault({ name, access, mode }: ModeQuestion["tool"], writes: ModeQuestion["writes"]): View {
  if (mode !== undefined) return { mode, why: `the tool ${name} ${WHEN[mode]} unless a policy says otherwise` };
  switch (access) {
    case "read":
      return { mode: "auto", why: "a tool that only reads runs without asking" };
    case "write":
      return { mode: writes, why: `a tool that changes something ${WHEN[writes]} unless a policy says otherwise` };
    case "destructive":
      return { mode: "confirm_before_execution", why: "a change that cannot be undone asks before it runs" };
  }
}

function isStricter(mode: ToolMode, other: ToolMode): boolean {
  return STRICTNESS.indexOf(mode) > STRICTNESS.indexOf(other);
}

const STRICTNESS: ToolMode[] = ["auto", "confirm_after_execution", "confirm_before_execution"];

const POLICY: Record<Policy["mode"], string> = {
  ask: "ask every time",
  reads: "run only reads",
  everything: "run everything",
};

const WHEN: Record<ToolMode, string> = {
  auto: "runs without asking",
  confirm_before_execution: "asks before it runs",
  confirm_after_execution: "runs and then asks",
};

const EVERYWHERE = ["*", OUTSIDE_TEXT];

/**
 * Checks the target of a policy or revocation: a service, a tool, or `*`.
 * @param extraNames names that count although no service has them now
 * @throws Problem INVALID_REQUEST with the nearest name
 */
export function checkTarget(services: ServiceConfiguration[], target: string, extraNames: string[] = []): void {
  const names = services.flatMap(({ service }) => [service.name, ...service.tools.map(({ name }) => name)]);
  if ([...EVERYWHERE, ...names, ...extraNames].includes(target)) return;
  const nearest = findClosestName(target, names);
  const guess = nearest ? ` ${suggestName(target, names)}` : "";
  const label = cleanLine(target, 60);
  throw new Problem("INVALID_REQUEST", `No service or tool is called “${label}”.${guess}`, {
    hint: "Run `kay tools list` to see every service and tool; `*` is all of them.",
    details: { target: label, ...(nearest ? { nearest } : {}) },
  });
}
