import type { ToolCatalogue } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { ASK_USER_TOOL, buildForm, findUnanswered, listChoices } from "./form.ts";
import { startsWithAction } from "./lexicon.ts";
import { type CompletedCall, isServiceTool, toRecord } from "./memory.ts";
import { isEmpty, writeResult } from "./passage.ts";
import {
  type ClauseOutcome,
  type FormAnswers,
  type PlannedCall,
  type PlannedToolCall,
  type PlannerDecision,
  parseClauseIndex,
} from "./plan.ts";
import {
  formatLeftOut,
  formatMissing,
  formatNotDone,
  formatNothingFound,
  formatNotUnderstood,
  formatResults,
} from "./reply.ts";

/** A request with what its parts come to, and what was called for it so far. */
export type PlanProgress = { request: Clause; outcomes: ClauseOutcome[]; turn: CompletedCall[]; answers: FormAnswers };

/** The next step of a request: to ask, to call, or the answer. */
export function decideNext(progress: PlanProgress, kit: ToolCatalogue): PlannerDecision {
  const { request, outcomes, turn } = progress;
  const called = dropReplaced(progress);
  const instead = findOther(progress);
  if (instead) return { calls: [instead] };
  // A failure or a denial is reported, and nothing that depends on it continues.
  if (called.some(({ error }) => error)) return { text: formatResults(called) };
  const unanswered = findUnanswered(turn);
  if (unanswered === "cancelled") return { text: "All right, I leave it." };
  const failed = turn.find(({ tool, error }) => tool === ASK_USER_TOOL && error !== undefined);
  if (failed && unanswered === undefined) return { text: formatResults([failed]) };
  if (called.length === 0) {
    // Half of a request is not begun before the other half is clear.
    const unclear = outcomes.findIndex(
      (outcome) =>
        (outcome.kind === "missing" && !outcome.later) || (outcome.kind === "words" && !isExtra(outcome, outcomes)),
    );
    if (unclear >= 0) return ask(progress, unclear, kit, unanswered === "unavailable");
  }
  const next = nextCalls(progress);
  if (next.length > 0) return { calls: next };
  if (called.length === 0) return { text: formatNotUnderstood(request.text, undefined), unknown: true };
  const open = outcomes.findIndex(
    (outcome, clause) => outcome.kind === "missing" && ownCalls(turn, clause).length === 0,
  );
  const rest = open < 0 ? undefined : ask(progress, open, kit, unanswered === "unavailable");
  if (rest && "calls" in rest) return rest;
  const answer = formatAnswer(progress, called);
  return { text: rest ? [answer, rest.text].filter(Boolean).join("\n\n") : answer };
}

/** Whether the others are to be looked at, and this one asks for nothing to be done: it is left out, and said so. */
function isExtra(outcome: Extract<ClauseOutcome, { kind: "words" }>, outcomes: ClauseOutcome[]): boolean {
  const rest = outcomes.filter((one) => one !== outcome);
  const reads = rest.length > 0 && rest.every((one) => one.kind === "calls" && !one.changes && one.calls.length > 0);
  return reads && outcome.unknown !== undefined && !startsWithAction(outcome.unknown);
}

/** Requests for the same thing at another service, when the first did not have it. */
function findOther({ outcomes, turn }: PlanProgress): PlannedToolCall | undefined {
  for (const [clause, outcome] of outcomes.entries()) {
    if (outcome.kind !== "calls" || !outcome.others) continue;
    const own = ownCalls(turn, clause);
    const next = outcome.others[own.length - 1];
    if (own.length > 0 && own.every(isAbsent) && next) return { clause, ...next };
  }
  return undefined;
}

/** The calls of a turn, without those that another service answered instead. */
function dropReplaced({ outcomes, turn }: PlanProgress): CompletedCall[] {
  const called = turn.filter(({ tool }) => tool !== ASK_USER_TOOL);
  return called.filter((call) => {
    const outcome = outcomes[parseClauseIndex(call.id)];
    if (outcome?.kind !== "calls" || !outcome.others || !isAbsent(call)) return true;
    const own = ownCalls(turn, parseClauseIndex(call.id));
    return own.every(isAbsent) && own[0] === call;
  });
}

function isAbsent({ error }: CompletedCall): boolean {
  return error !== undefined && !error.denied && ABSENT.has(error.code ?? "");
}

/** When the user declines to connect a service, kay does not ask for another one. */
const ABSENT = new Set(["NOT_FOUND", "INVALID_REQUEST"]);

function ask(
  { request, outcomes, turn, answers }: PlanProgress,
  at: number,
  kit: ToolCatalogue,
  inText: boolean,
): PlannerDecision {
  const outcome = outcomes[at];
  if (outcome?.kind === "words") return { text: outcome.text, ...(outcome.unknown ? { unknown: true } : {}) };
  if (outcome?.kind !== "missing") return { calls: [] };
  const { reading } = outcome;
  const wasAsked = turn.some(({ id, tool }) => tool === ASK_USER_TOOL && parseClauseIndex(id) === at);
  if (kit.others.has(ASK_USER_TOOL) && !inText && !wasAsked)
    return { calls: [{ clause: at, tool: ASK_USER_TOOL, input: buildForm(reading, request.memory, outcome.leftOut) }] };
  const [first, ...others] = reading.missing;
  const choices = first && others.length === 0 ? listChoices(reading.skill, first, request.memory) : [];
  return {
    text: [
      outcome.leftOut && formatLeftOut(`“${outcome.leftOut}”`),
      formatMissing(reading.skill, reading.missing, choices),
    ]
      .filter(Boolean)
      .join(" "),
    pending: { request: request.text, answers, clause: at },
  };
}

/**
 * Returns the calls that can run now. Everything waits for pending connections. Content to pass on is read after the
 * earlier changes, and later changes wait for it.
 */
function nextCalls({ outcomes, turn }: PlanProgress): PlannedToolCall[] {
  const calls: PlannedToolCall[] = [];
  const open = { connecting: false, changing: false, passing: false };
  for (const [clause, outcome] of outcomes.entries()) {
    if (outcome.kind !== "calls" || outcome.calls.length === 0 || open.connecting) continue;
    const own = ownCalls(turn, clause);
    const add = (plans: PlannedCall[]) => calls.push(...plans.map((call) => ({ clause, ...call })));
    const stage = getStage(outcome, own);
    if (stage === "reads" && !open.changing) add(outcome.feed ? [outcome.feed.read] : []);
    if (stage === "calls" && !(outcome.changes && open.passing)) add(fill(outcome, own));
    if (stage === "done") continue;
    open.connecting = !isServiceTool(outcome.calls[0]?.tool ?? "");
    open.changing ||= outcome.changes;
    open.passing ||= outcome.feed !== undefined;
  }
  return calls;
}

type Calls = Extract<ClauseOutcome, { kind: "calls" }>;

/** State of a request: its content must be read, its calls must run, or it is done. */
function getStage({ calls, feed }: Calls, own: CompletedCall[]): "reads" | "calls" | "done" {
  if (!feed) return own.length === 0 ? "calls" : "done";
  const [read] = own;
  if (read === undefined) return "reads";
  return own.length <= calls.length && !isEmpty(read, feed) ? "calls" : "done";
}

/** The calls, with what was read in its place. */
function fill({ calls, feed }: Calls, [read]: CompletedCall[]): PlannedCall[] {
  if (!feed) return calls;
  const text = writeResult(toRecord(read?.result), feed);
  return calls.map(({ tool, input }) => ({ tool, input: { ...input, [feed.field]: text } }));
}

/** Returns the texts of the results; content that was only passed on is part of what was sent. */
function formatAnswer({ outcomes, turn }: PlanProgress, called: CompletedCall[]): string {
  const passed = new Set<CompletedCall>();
  const unsent: string[] = [];
  for (const [clause, outcome] of outcomes.entries()) {
    if (outcome.kind !== "calls" || !outcome.feed) continue;
    const own = ownCalls(turn, clause);
    const [read, ...writes] = own;
    if (read && writes.length > 0) passed.add(read);
    else if (read) unsent.push(formatNothingFound(outcome.feed));
  }
  const services = outcomes.flatMap((outcome) => {
    if (outcome.kind === "calls" && outcome.leftOut) return [formatLeftOut(outcome.leftOut)];
    if (outcome.kind !== "words" || !outcome.unknown) return [];
    return [startsWithAction(outcome.unknown) ? formatNotDone(outcome.unknown) : formatLeftOut(`“${outcome.unknown}”`)];
  });
  return [...services, formatResults(called.filter((call) => !passed.has(call))), ...unsent].join("\n\n");
}

function ownCalls(turn: CompletedCall[], clause: number): CompletedCall[] {
  return turn.filter(({ id, tool }) => parseClauseIndex(id) === clause && tool !== ASK_USER_TOOL);
}
