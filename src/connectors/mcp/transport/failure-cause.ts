import { clean, cleanLine } from "#protocol/clean";

/** Longest cause in characters, and most lines that are looked at. */
const MAX_CAUSE_LENGTH = 200;
const MAX_LINES = 400;

/**
 * Finds the line of a program's output that says why it failed. Runtimes write it before a stack trace, a source line
 * and their version, or after frames, so neither the first line nor the last is always the one.
 */
export function findCause(output: string): string | undefined {
  const lines = clean(output.slice(-MAX_OUTPUT_LENGTH))
    .split("\n")
    .slice(-MAX_LINES)
    .map((line) => line.replace(GROUP, "").trimEnd());
  const telling = lines.flatMap((line, index) => {
    const text = completeLine(line, lines.slice(index + 1));
    return NOISE.test(text) ? [] : [{ text, nested: /^\s/.test(text) }];
  });
  const errors = telling.filter(({ text }) => ERROR.test(text) || LEVEL.test(text));
  const cause = pickNpm(telling) ?? errors.findLast(({ nested }) => !nested) ?? errors.at(-1) ?? telling.at(-1);
  return (cause && cleanLine(cause.text.trim(), MAX_CAUSE_LENGTH)) || undefined;
}

const MAX_OUTPUT_LENGTH = 16_000;

/** The bar before the lines of a Python exception group. */
const GROUP = /^\s*\| /;

/** Adds the lines after one that only announces the reason: Rust's panics, and lists of Zod's issues. */
function completeLine(line: string, rest: string[]): string {
  if (/^thread '.{0,200}?' .{0,200}?panicked at .*:$/.test(line)) return `Error: ${rest[0]?.trim() ?? ""}`;
  if (/\b\w*Error: \[$/.test(line)) return `${line} ${rest.slice(0, 8).join(" ")}`;
  return /with the reason (".+")\./.exec(line)?.[1]?.replace(/^/, "Error: ") ?? line;
}

/** Stack frames, positions, versions, remarks and lines without a word. */
const NOISE = new RegExp(
  [
    String.raw`^\s*at .+[:)(\d]|^Emitted '.*' event (on|at)\b`,
    String.raw`^\s*(File ".*", line \d+|from .+:\d+|#\d+ |\.\.\. \d+ more|thrown in .* on line \d+)`,
    String.raw`^\s*(code|errno|syscall|path|spawnargs|requireStack|cause|url|port|address): `,
    String.raw`^(node:internal|file:\/\/|[A-Za-z]:\\|\/).*:\d+$`,
    String.raw`^(Node\.js|Bun|Deno) v?\d`,
    String.raw`^goroutine \d+ |^\t?\S+\.go:\d+|^exit status \d+$|^created by `,
    String.raw`^\s*(Traceback|Exception Group Traceback|Stack trace:|The above exception|During handling of)`,
    String.raw`^note: run with|^stack backtrace:|^npm notice|^npm warn|^npm (error|ERR!) (A complete log|code |\s*$)`,
    String.raw`^[^\p{L}\p{N}]*$`,
  ].join("|"),
  "iu",
);

/** A line that names an error: `TypeError: …`, `error: …`, `panic: …`, `fatal: …`, `app: command not found`. */
const ERROR = new RegExp(
  [
    String.raw`^\s*(Uncaught |Unhandled exception\. |Exception in thread "[^"]*" |Caused by: |\[cause\]: )?[\w.$:]*(Error|Exception|Exit|Interrupt|Panic|Fault|Fatal)\b[^:]{0,60}: `,
    String.raw`^\s*\W*([\w./-]+: )?(error|panic|fatal|failed|failure|abort(ed)?)\b`,
    "command not found|is not recognized as|No such file|Permission denied",
  ].join("|"),
  "i",
);

/** A level of a log, in capitals. */
const LEVEL = /\b(ERROR|FATAL|CRITICAL)\b/;

/** npm names the code first, then the reason, then the place of its log. */
function pickNpm(lines: { text: string }[]): { text: string } | undefined {
  const [first] = lines.filter(({ text }) => NPM.test(text));
  return first && { text: first.text.replace(NPM, "") };
}

const NPM = /^npm (error|ERR!) (E?[A-Z0-9]+ (?=\S))?/;
