import type { Cluster } from "./cluster.ts";
import type { Ledger, Write } from "./ledger.ts";
import type { TakeOvers } from "./unrest.ts";

/** A figure, and whether it is within its goal. */
export type Figure = { what: string; measured: string; goal?: string; ok?: boolean };

/** Milliseconds. */
const TAKE_OVER_GOAL = 10_000;
const DELAY_GOAL = 100;

/** Minimum parts per second for a meaningful delay. */
const BUSY_ENOUGH = 200;

/** The outcome of all wishes, according to the sandbox, the database and the users. */
export async function verdict(
  { db, sandbox }: Cluster,
  ledger: Ledger,
  takeOvers: TakeOvers,
): Promise<{ figures: Figure[]; faults: string[] }> {
  const faults = [...ledger.faults];
  const state = await (await fetch(`${sandbox.slack}/_sandbox/state`)).text();
  const effects = await db.query<{ generation_id: string; state: string; text: string }>(
    "select generation_id, state, input ->> 'text' as text from effects",
  );
  const effect = new Map(effects.rows.map(({ text, state: of }) => [text, of]));
  for (const write of ledger.writes)
    faults.push(...writeFaults(write, state.split(write.mark).length - 1, effect.get(write.mark)));
  faults.push(...(await logFaults(db, ledger)));
  const open = await db.query<{ id: string; status: string; node: number | null }>(
    "select id, status, node from generations where finished_at is null",
  );
  for (const { id, status, node } of open.rows)
    if (node !== null || !status.startsWith("awaiting_")) faults.push(`${id} is left ${status}, at node ${node}`);
  const count = (of: string) => ledger.writes.filter(({ mark }) => effect.get(mark) === of).length;
  const unsettled = ["planned", "sent"].map(count).reduce((sum, count) => sum + count, 0);
  if (unsettled > 0) faults.push(`${unsettled} effects are neither over nor unknown`);
  const quiet = ledger.failures.filter(({ phase }) => phase === "quiet" || phase === "roll");
  faults.push(...quiet.map(({ phase, what }) => `failed (${phase}): ${what}`));
  const elsewhere = ledger.delays.filter((delay) => delay.elsewhere).map(({ ms }) => ms);
  const rate = ledger.quietParts / Math.max(1, ledger.quietMs / 1000);
  const late = quantile(elsewhere, 0.99);
  return {
    faults,
    figures: [
      { what: "requests", measured: String(ledger.requests) },
      { what: "wishes that came to their end", measured: formatCounts(ledger.ended) },
      { what: "writes approved", measured: String(ledger.writes.filter(({ approvals }) => approvals > 0).length) },
      { what: "… settled, in the sandbox once each", measured: String(count("settled")) },
      { what: "… unknown, in the sandbox at most once", measured: String(count("unknown")) },
      { what: "streams taken up again", measured: String(ledger.resumed) },
      { what: "failed requests: killed, stopped, cut", measured: String(ledger.failures.length - quiet.length) },
      {
        what: "failed requests: quiet, rolling restart",
        measured: String(quiet.length),
        goal: "0",
        ok: quiet.length === 0,
      },
      { what: "generations that still wait", measured: String(open.rows.length) },
      {
        what: `work of a killed node taken over (${takeOvers.length})`,
        measured: times(takeOvers),
        goal: `< ${TAKE_OVER_GOAL / 1000} s`,
        ok: takeOvers.every((ms) => ms < TAKE_OVER_GOAL),
      },
      { what: "parts read in quiet phases", measured: `${rate.toFixed(0)} a second` },
      {
        what: `delay of a part to a reader at the other node (${elsewhere.length})`,
        measured: times(elsewhere),
        goal: `p99 ≤ ${DELAY_GOAL} ms at ${BUSY_ENOUGH}/s`,
        ok: late <= DELAY_GOAL,
      },
      { what: "faults", measured: String(faults.length), goal: "0", ok: faults.length === 0 },
    ],
  };
}

function writeFaults(
  { mark, approvals, end, receipt }: Write,
  sentCount: number,
  effect: string | undefined,
): string[] {
  const subject = `write ${mark} (approved ${approvals}, ${end}, receipt ${receipt}, effect ${effect}) is in the sandbox ${sentCount} times`;
  if (sentCount > 1) return [subject];
  if (approvals === 0) return sentCount === 0 && end === undefined ? [] : [subject];
  const honest = effect === "settled" ? sentCount === 1 : effect === "unknown";
  return honest && end === "finish" ? [] : [subject];
}

/** Checks that numbers have no gaps, and that users saw what is stored. */
async function logFaults(db: Cluster["db"], { seen }: Ledger): Promise<string[]> {
  const { rows } = await db.query<{ id: string; last: number; count: number; highest: number }>(
    `select conversations.id, last_event as last, count(events.number)::int as count, coalesce(max(events.number), 0) as highest
      from conversations left join events on events.conversation_id = conversations.id group by conversations.id`,
  );
  return rows.flatMap(({ id, last, count, highest }) => {
    const missed = [...(seen.get(id)?.keys() ?? [])].filter((number) => number > last);
    return last === count && last === highest && missed.length === 0
      ? []
      : [
          `the log of ${id} has ${count} parts up to ${highest}, counted ${last}, and ${missed.length} were seen beyond`,
        ];
  });
}

function times(all: number[]): string {
  if (all.length === 0) return "none";
  const [half, most, longest] = [quantile(all, 0.5), quantile(all, 0.99), Math.max(...all)];
  return `p50 ${half.toFixed(0)} ms, p99 ${most.toFixed(0)} ms, max ${longest.toFixed(0)} ms`;
}

function quantile(all: number[], share: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function formatCounts(of: Record<string, number>): string {
  return Object.entries(of)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}
