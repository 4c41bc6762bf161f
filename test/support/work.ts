import { createContext, Script } from "node:vm";

/** Pieces of text that make patterns and loops start again at every character when they are repeated. */
export const KINDS = [
  ..."xX1 \n\t\r'\"`*_~|\\<>[](){}-#.,:;/@=&%?!+$^é“”…\u0301\u200d\u001b",
  ...["a ", "A ", "ab. ", "1,", "1. ", "- ", "> ", "[a](", "![", "**a", "a_", "<a ", "<!--", "</", "a@", "a.", "a-"],
  ...["a=", "a/", "x:", "x: ", "//", "//a:", "://", "\\x", '"a', "'a ", "| a ", " \n", "\n\n", "- a\n", "```\n", "`a"],
  ...[
    "token=",
    'token"',
    "eyJ-",
    "eyJ.",
    "Bearer ",
    "sk-",
    "http://a",
    "&amp;",
    "%20",
    "\u001b[",
    "\u001b]",
    "<a>",
    "[[",
  ],
  ...["2026-", "12:", "in ", "and ", "to ", "#a ", "KAY-1 ", "show bugs. ", "a\t", "{{", "${", "\u202e", "- a\nb\n"],
];

/** Ends of such a text: none, and one that does not match the repetition. */
export const ENDS = ["", "¶", "\n¶"];

/** Repeats a piece of text to a length. */
export function repeatTo(piece: string, length: number, end = ""): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length) + end;
}

/** Maximum cost ratio for ten times the text. Caches cause up to 20 on a busy machine; nested loops cause 100. */
const MAX_RATIO = 30;

/** Work below this, in ms of processor time, is not judged: it is mostly noise. */
const FLOOR = 40;

/**
 * Returns how much more the work on ten times the text costs, or undefined if that is in proportion. It counts
 * processor time of this thread, so that other programs do not matter, and measures again what looks wrong.
 */
export function findGrowth(work: (text: string) => unknown, make: (length: number) => string): number | undefined {
  const [short, medium, long] = [make(1_000), make(10_000), make(100_000)];
  if (measure(work, short) > 10 * FLOOR || measure(work, medium) > 200 * FLOOR) return Number.POSITIVE_INFINITY;
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const after = measure(work, long);
    if (after < FLOOR) return undefined;
    best = Math.min(best, after / Math.max(measure(work, medium), FLOOR / MAX_RATIO));
    if (best <= MAX_RATIO) return undefined;
    if (round > 0 && best > 3 * MAX_RATIO) return best;
  }
  return best;
}

/** Returns processor time in ms; work that does not end is stopped. */
export function measure(work: (text: string) => unknown, text: string): number {
  const startUsage = process.threadCpuUsage();
  try {
    sandbox.work = () => void work(text);
    script.runInContext(sandbox, { timeout: 120_000 });
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return Number.POSITIVE_INFINITY;
    // An error is an answer too.
  }
  const { user, system } = process.threadCpuUsage(startUsage);
  return (user + system) / 1000;
}

const sandbox = createContext({}) as { work?: () => void };
const script = new Script("work()");
