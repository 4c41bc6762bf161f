import type { Kay } from "../../kay.ts";
import { wrapSentences } from "../../output/wrap.ts";
import type { CheckReport, CheckState } from "./check.ts";

const MARKS: Record<CheckState, string> = { ok: "✓", warning: "!", failed: "✗", skipped: "-" };
const COLOURS = { ok: "green", warning: "yellow", failed: "red", skipped: "dim" } as const;

/** Narrower terminals have no room for columns. */
const COLUMNS_FROM = 64;
const STATE_WIDTH = "warning".length;
const TITLE_WIDTH = "Consent page".length;

/** Formats a report with a mark and a word for its state, wrapped to the terminal's width. */
export function formatReport(kay: Kay, report: CheckReport): string {
  const width = kay.terminal.stdout.columns();
  if (kay.flags.plain) return formatPlain(report);
  return width < COLUMNS_FROM ? formatBlock(kay, report, width) : formatRow(kay, report, width);
}

function formatPlain({ state, title, detail, fix }: CheckReport): string {
  return `${state}: ${title}: ${detail}${fix ? ` What to do: ${fix}` : ""}`;
}

/** Formats state, title and finding in columns. */
function formatRow(kay: Kay, { state, title, detail, fix }: CheckReport, width: number): string {
  const start = `${MARKS[state]} ${state.padEnd(STATE_WIDTH)}  `;
  const indent = " ".repeat(start.length + TITLE_WIDTH + 2);
  const [first = "", ...rest] = formatLines(detail, fix, width - indent.length);
  const head = `${kay.out.paint(COLOURS[state], start)}${title.padEnd(TITLE_WIDTH)}  ${first}`;
  return [head, ...rest.map((line) => indent + line)].join("\n");
}

/** Formats state, title and finding below each other. */
function formatBlock(kay: Kay, { state, title, detail, fix }: CheckReport, width: number): string {
  const head = `${kay.out.paint(COLOURS[state], `${MARKS[state]} ${state}`)}  ${title}`;
  return [head, ...formatLines(detail, fix, width - 2).map((line) => `  ${line}`)].join("\n");
}

function formatLines(detail: string, fix: string | undefined, room: number): string[] {
  const advice = fix ? wrapSentences(fix, room - 2).split("\n") : [];
  return [
    ...wrapSentences(detail, room).split("\n"),
    ...advice.map((line, index) => `${index === 0 ? "→" : " "} ${line}`),
  ];
}

/** Formats the result in one line. */
export function formatSummary(reports: CheckReport[]): string {
  const count = (state: CheckState) => reports.filter((report) => report.state === state).length;
  const [bad, doubtful] = [count("failed"), count("warning")];
  if (bad > 0)
    return `${bad} failed${doubtful > 0 ? `, ${formatAmount(doubtful)}` : ""}. Start with the first one; it may cause the others.`;
  if (doubtful > 0) return `Nothing failed; ${formatAmount(doubtful)}.`;
  return "Everything works.";
}

function formatAmount(warnings: number): string {
  return warnings === 1 ? "1 warning" : `${warnings} warnings`;
}
