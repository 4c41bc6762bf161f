import { Problem } from "#protocol/errors";
import { type CheckedCall, type RejectedCall, toCall } from "./calls/checked-call.ts";
import type { PastCall } from "./calls/repetition.ts";

/** Most calls that one step runs. */
const MAX_STEP_CALLS = 16;

/** Most calls of a generation to one service. */
const MAX_SERVICE_CALLS = 60;

/** Most calls of a generation. */
const MAX_CALLS = 120;

/** Most levels of lists and objects in the input of a call. */
export const MAX_INPUT_DEPTH = 100;

/** Start of every reason that says that the user denied a call. */
export const DENIAL_TEXT = "The user denied this";

/**
 * Creates the limit of the calls of a step, given those before it. A call over the limit is rejected with what to do
 * instead, whatever its arguments, so that no text that the model reads can make it call without end.
 */
export function createCallLimit(past: PastCall[]): (call: CheckedCall | RejectedCall) => CheckedCall | RejectedCall {
  const services = past.map(({ call }) => getService(call));
  let inStep = 0;
  let forms = 0;
  return (call) => {
    inStep++;
    const service = getService(call);
    services.push(service);
    if ("problem" in call) return call;
    if (call.tool.name === "ask_user") forms++;
    const words =
      inStep > MAX_STEP_CALLS
        ? `A step runs at most ${MAX_STEP_CALLS} calls. Call this tool in the next step.`
        : forms > 1
          ? "A step shows one form. Put all questions into its fields, or ask in the next step."
          : getTotalFault(services, service, call.tool.title);
    if (words === undefined) return call;
    return { call: toCall(call), problem: new Problem("STEP_LIMIT", words, { hint: "" }) };
  };
}

function getTotalFault(
  services: (string | undefined)[],
  service: string | undefined,
  title: string,
): string | undefined {
  if (services.length > MAX_CALLS) return `A request runs at most ${MAX_CALLS} calls. Answer with what you have.`;
  const serviceCount = services.filter((name) => name !== undefined && name === service).length;
  if (serviceCount <= MAX_SERVICE_CALLS) return undefined;
  return `A request runs at most ${MAX_SERVICE_CALLS} calls to ${title}. Answer with what you have.`;
}

function getService(call: CheckedCall | RejectedCall): string | undefined {
  return "problem" in call || call.tool.own ? undefined : call.tool.service;
}

/** How many denied tools, in several steps, end a generation: other tools can do the same in other words. */
const MAX_DENIED_TOOLS = 3;

/**
 * Returns the problem, with the user's reason, that ends a generation whose model calls a denied tool again, or keeps
 * calling tools that the user denies. Denials of one step count as one answer: their calls were asked together.
 */
export function findRepeatedDenial(past: PastCall[], step: PastCall[]): Problem | undefined {
  const deniedTools = new Set(past.filter(isDenied).map(({ call }) => toCall(call).toolName));
  const isEnough = (name: string) => deniedTools.has(name) || deniedTools.size >= MAX_DENIED_TOOLS - 1;
  const repeated = step.find((pastCall) => isDenied(pastCall) && isEnough(toCall(pastCall.call).toolName));
  if (repeated === undefined) return undefined;
  const { outcome } = repeated;
  const denial = outcome && "denied" in outcome ? outcome.denied : "";
  const reason = denial.startsWith(REASON_START) ? ` You said: ${denial.slice(REASON_START.length)}` : "";
  const { toolName } = toCall(repeated.call);
  const occasion = deniedTools.has(toolName) ? "again after you denied it" : "after you denied other calls";
  return new Problem("DENIED", `kay stopped: the model called ${toolName} ${occasion}.${reason}`, {
    hint: "Rephrase the request to say what should happen instead.",
  });
}

/** A form of the model that the user canceled counts as denied. */
function isDenied({ call, outcome }: PastCall): boolean {
  if ("problem" in call || outcome === undefined) return false;
  if ("denied" in outcome) return outcome.denied.startsWith(DENIAL_TEXT);
  return call.toolName === "ask_user" && "output" in outcome && Object(outcome.output.data).cancelled === true;
}

const REASON_START = `${DENIAL_TEXT}: `;
