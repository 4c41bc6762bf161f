import type { Kit } from "./catalogue.ts";
import type { Clause } from "./clause.ts";
import { type Answers, ASK_USER, formFor, unansweredIn } from "./form.ts";
import { type Done, isOfService } from "./memory.ts";
import { isEmpty, passageOf } from "./passage.ts";
import { type Call, clauseOf, type Decision, type Outcome, type PlannedTool } from "./plan.ts";
import { askText, nothingText, puzzledText, resultText } from "./reply.ts";

/** A request with what its parts come to, and what was called for it so far. */
export type Progress = { request: Clause; outcomes: Outcome[]; turn: Done[]; answers: Answers };

/** The next step of a request: to ask, to call, or the answer. */
export function advance(progress: Progress, kit: Kit): Decision {
  const { request, outcomes, turn } = progress;
  const called = turn.filter(({ tool }) => tool !== ASK_USER);
  // What went wrong, or was denied, is told, and nothing goes on that counted on it.
  if (called.some(({ error }) => error)) return { text: resultText(called) };
  const unanswered = unansweredIn(turn);
  if (unanswered === "cancelled") return { text: "All right, I leave it." };
  const failed = turn.find(({ tool, error }) => tool === ASK_USER && error !== undefined);
  if (failed && unanswered === undefined) return { text: resultText([failed]) };
  if (called.length === 0) {
    // Half of a request is not begun before the other half is clear.
    const unclear = outcomes.findIndex(({ kind }) => kind === "missing" || kind === "words");
    if (unclear >= 0) return ask(progress, unclear, kit, unanswered === "unavailable");
  }
  const next = nextCalls(progress);
  if (next.length > 0) return { calls: next };
  if (called.length === 0) return { text: puzzledText(request.text, [], kit.skills) };
  const open = outcomes.findIndex(
    (outcome, clause) => outcome.kind === "missing" && ownCalls(turn, clause).length === 0,
  );
  const rest = open < 0 ? undefined : ask(progress, open, kit, unanswered === "unavailable");
  if (rest && "calls" in rest) return rest;
  const said = answerText(progress, called);
  return rest ? { text: [said, rest.text].filter(Boolean).join("\n\n") } : { text: said, results: called };
}

function ask({ request, outcomes, turn, answers }: Progress, at: number, kit: Kit, inText: boolean): Decision {
  const outcome = outcomes[at];
  if (outcome?.kind === "words") return { text: outcome.text };
  if (outcome?.kind !== "missing") return { calls: [] };
  const { reading } = outcome;
  const wasAsked = turn.some(({ id, tool }) => tool === ASK_USER && clauseOf(id) === at);
  if (kit.others.has(ASK_USER) && !inText && !wasAsked)
    return { calls: [{ clause: at, tool: ASK_USER, input: formFor(reading) }] };
  return { text: askText(reading.skill, reading.missing), pending: { request: request.text, answers, clause: at } };
}

/**
 * What can be called now. Everything waits for services that are being connected; what is to be passed on is read after the changes that
 * were asked for before it, and what changes something after that waits for it.
 */
function nextCalls({ outcomes, turn }: Progress): PlannedTool[] {
  const calls: PlannedTool[] = [];
  const open = { connecting: false, changing: false, passing: false };
  for (const [clause, outcome] of outcomes.entries()) {
    if (outcome.kind !== "calls" || open.connecting) continue;
    const own = ownCalls(turn, clause);
    const add = (wanted: Call[]) => calls.push(...wanted.map((call) => ({ clause, ...call })));
    const stage = stageOf(outcome, own);
    if (stage === "reads" && !open.changing) add(outcome.feed?.reads ?? []);
    if (stage === "calls" && !(outcome.changes && open.passing)) add(filled(outcome, own));
    if (stage === "done") continue;
    open.connecting = !isOfService(outcome.calls[0]?.tool ?? "");
    open.changing ||= outcome.changes;
    open.passing ||= outcome.feed !== undefined;
  }
  return calls;
}

type Calls = Extract<Outcome, { kind: "calls" }>;

/** How far a request is: what it passes on has to be read, its calls have to be made, or all is done. */
function stageOf({ calls, feed }: Calls, own: Done[]): "reads" | "calls" | "done" {
  if (!feed) return own.length === 0 ? "calls" : "done";
  if (own.length < feed.reads.length) return "reads";
  const read = own.slice(0, feed.reads.length);
  return own.length < feed.reads.length + calls.length && !isEmpty(read) ? "calls" : "done";
}

/** The calls, with what was read in its place. */
function filled({ calls, feed }: Calls, own: Done[]): Call[] {
  if (!feed) return calls;
  const text = passageOf(own.slice(0, feed.reads.length), feed);
  return calls.map(({ tool, input }) => ({ tool, input: { ...input, [feed.field]: text } }));
}

/** What the tools said; what was only read to be passed on is in what was passed on. */
function answerText({ outcomes, turn }: Progress, called: Done[]): string {
  const passed = new Set<Done>();
  const unsent: string[] = [];
  for (const [clause, outcome] of outcomes.entries()) {
    if (outcome.kind !== "calls" || !outcome.feed) continue;
    const own = ownCalls(turn, clause);
    const reads = own.slice(0, outcome.feed.reads.length);
    if (own.length > reads.length) for (const read of reads) passed.add(read);
    else if (reads.length > 0) unsent.push(nothingText(outcome.calls[0]?.tool ?? ""));
  }
  return [resultText(called.filter((call) => !passed.has(call))), ...unsent].join("\n\n");
}

function ownCalls(turn: Done[], clause: number): Done[] {
  return turn.filter(({ id, tool }) => clauseOf(id) === clause && tool !== ASK_USER);
}
