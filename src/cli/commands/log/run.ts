import type { WriteView } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { wrapLines } from "#ui/markdown/wrap";
import type { Style } from "#ui/style";
import { formatLocalTime } from "#ui/text/local-time";
import { formatReceiptSummary, toLine } from "#ui/text/words";
import type { BackendHandle } from "../../backend/handle.ts";
import type { Kay } from "../../kay.ts";

export type LogOptions = { since?: string; service?: string; limit: string };

/** Maximum number of writes per request and per command. */
const PAGE = 100;
const MOST = 10_000;

/** Runs `kay log`. */
export async function showLog(kay: Kay, { since, service, limit }: LogOptions): Promise<void> {
  const count = /^\d{1,5}$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > MOST)
    throw new Problem("USAGE", `--limit must be a whole number from 1 to ${MOST.toLocaleString("en")}.`);
  const from = since === undefined ? undefined : parseSince(since, kay.clock.now());
  const link = await kay.openBackend({ signedIn: true });
  const { writes, has_more } = await listWrites(link, {
    limit: count,
    ...(from ? { since: from } : {}),
    ...(service === undefined ? {} : { service: service.trim().toLowerCase() }),
  });
  if (kay.flags.json) return kay.out.writeJson({ writes, has_more });
  if (writes.length === 0) return kay.out.writeProgress(NO_WRITES_TEXT);
  const { stdout } = kay.terminal;
  if (stdout.isTerminal) await kay.out.writeText(wrapLines(formatWrites(kay, writes), stdout.columns()));
  else await kay.out.writeTable([], writes.map(toRow));
  if (has_more) kay.out.writeProgress(`There are more; --limit ${Math.min(count * 10, MOST)} shows them.`);
}

export const NO_WRITES_TEXT = "No changes yet.";

/**
 * Lists writes of all conversations, newest first, page by page.
 *
 * @throws Problem NOT_FOUND when the backend has no list of them
 */
export async function listWrites(
  { api }: BackendHandle,
  { limit, ...query }: { limit: number; since?: string; service?: string },
): Promise<{ writes: WriteView[]; has_more: boolean }> {
  const writes: WriteView[] = [];
  for (let cursor: string | undefined; ; ) {
    const size = Math.min(PAGE, limit - writes.length);
    const page = await api.writes({ ...query, limit: size, ...(cursor === undefined ? {} : { cursor }) });
    if (page === null)
      throw new Problem("NOT_FOUND", "This backend does not list its changes.", {
        hint: "`kay sessions show <conversation>` shows the changes of one conversation.",
      });
    writes.push(...page.data.slice(0, size));
    cursor = page.cursor;
    if (writes.length >= limit || cursor === undefined || page.data.length === 0)
      return { writes, has_more: cursor !== undefined };
  }
}

/**
 * Formats writes for reading: the change and its state first, then the account, who approved it, the link, and the
 * prompt.
 */
export function formatWrites({ out }: Pick<Kay, "out">, writes: WriteView[]): string {
  return writes
    .map((write) => {
      const { style, word } = STATES[write.state];
      const details = [
        formatBy(write),
        ...(write.error ? [toLine(write.error)] : []),
        ...(write.url ? [toLine(write.url)] : []),
        ...(write.prompt ? [`> ${toLine(write.prompt)}`] : []),
      ];
      const head = `${out.paint(style, word.slice(0, 1))}${word.slice(1)}  ${formatReceiptSummary(write.summary)}`;
      return [head, ...details.map((line) => `  ${out.paint("dim", line)}`)].join("\n");
    })
    .join("\n\n");
}

function formatBy(write: WriteView): string {
  const { service, account, approved, allowed_by, created_at, session_id } = write;
  const as = account ? ` as ${toLine(account)}` : "";
  const client = approved?.client ? ` by ${toLine(approved.client)}` : "";
  const consent = allowed_by
    ? [`allowed by --allow ${toLine(allowed_by)}`]
    : approved
      ? [`approved${approved.edited ? " with edits" : ""}${client}`]
      : [];
  const place = session_id === undefined ? ["kay tools call"] : [];
  return [`${formatLocalTime(created_at)} · ${toLine(service)}${as}`, ...consent, ...place].join(" · ");
}

/** Formats a write as a row for scripts: time, state, service, account, summary, link, prompt. */
function toRow({ created_at, state, service, account, summary, url, prompt }: WriteView): string[] {
  return [created_at, state.replace("_", " "), service, account ?? "", summary, url ?? "", prompt ?? ""].map(toLine);
}

const STATES: Record<WriteView["state"], { word: string; style: Style }> = {
  done: { word: "✓ done", style: "green" },
  running: { word: "… running", style: "cyan" },
  failed: { word: "✗ failed", style: "red" },
  not_sent: { word: "- not sent", style: "dim" },
  unknown: { word: "? unknown", style: "yellow" },
};

const UNITS_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** The longest span, a hundred years, so that the result is a valid time. */
const LONGEST_MS = 100 * 366 * 86_400_000;

/**
 * Parses the start of a list: a span before now (`30m`, `12h`, `2d`, `1w`), a day of this machine's time zone, or a
 * time in ISO 8601.
 *
 * @throws Problem USAGE
 */
export function parseSince(text: string, now: number): string {
  const [, number, unit = ""] = /^(\d{1,9})\s*([mhdw])$/i.exec(text.trim()) ?? [];
  const span = Number(number) * (UNITS_MS[unit.toLowerCase()] ?? Number.NaN);
  const time = number === undefined ? parseTime(text.trim()) : now - Math.min(span, LONGEST_MS);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new Problem("USAGE", `Invalid time ${JSON.stringify(text.slice(0, 40))} for --since.`, {
    hint: "Use a span such as 30m, 12h, 2d or 1w, or a date such as 2026-11-20.",
  });
}

/** A date without a time means local midnight; JavaScript would read it as midnight in UTC. */
function parseTime(text: string): number {
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!day) return /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  const [year, month, date] = day.slice(1).map(Number) as [number, number, number];
  const local = new Date(year, month - 1, date);
  return local.getMonth() === month - 1 && local.getDate() === date ? local.getTime() : Number.NaN;
}
