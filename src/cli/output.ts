import { styleText } from "node:util";
import type { Clock } from "#client/ports";
import { type Problem, problemBody } from "#protocol/errors";
import type { Style } from "#ui/look";
import { type Terminal, wantsColor } from "./terminal.ts";
import { wrapSentences } from "./wrap.ts";

/** How output is wanted, from the global flags. */
export type OutputFlags = { json: boolean; lines?: boolean; quiet: boolean; plain: boolean; color?: string };

/**
 * Where everything a command says goes through. stdout carries the answer, stderr everything else. Under `--json` stdout is one
 * document; away from a terminal warnings then travel inside it, so that `2>&1` stays readable. Where each part is a line of JSON, so are
 * warnings and the failure.
 */
export type Output = {
  /** The one JSON document of `--json`. Collected warnings join it as `warnings`. */
  json(document: unknown): void;
  /** One of several documents, each on a line of its own. */
  jsonLine(document: unknown): void;
  /** A line of the answer on stdout. */
  line(text?: string): void;
  /** Markdown of an answer: laid out for a person on a terminal, as it is elsewhere. */
  markdown(text: string): Promise<void>;
  /** Rows for a person on a terminal; tab-separated without header elsewhere. */
  table(columns: string[], rows: string[][]): Promise<void>;
  /** Progress and advice on stderr; silent with `--quiet` or `--json`. */
  note(text: string): void;
  /** Something is not as it should be, though the command goes on. */
  warn(text: string): void;
  /** The end of a failed command: the sentence and the next step. `document` is printed on stdout, wanted as JSON or not. */
  fail(problem: Problem, document?: unknown): void;
  /**
   * Show a line at the bottom of the terminal that is redrawn in place, `null` takes it away. Whatever else is said meanwhile appears above
   * it. Where nothing may be redrawn it is not shown.
   */
  status(line: string | null): void;
  /** From now on whatever is said goes here instead of to the streams, whole texts without the last line break. Returns the way back. */
  divert(say: (text: string) => void): () => void;
  paint(style: Style, text: string, stream?: "stdout" | "stderr"): string;
};

const ERASE = "\r\x1b[2K";

/** Build the output of one run. The clock is for the times of lines. */
export function createOutput(
  terminal: Terminal,
  env: Record<string, string | undefined>,
  flags: () => OutputFlags,
  clock: Pick<Clock, "now">,
): Output {
  const warnings: string[] = [];
  const paint: Output["paint"] = (style, text, stream = "stdout") =>
    wantsColor(terminal[stream], env, flags().color) ? styleText(style, text, { validateStream: false }) : text;
  let status: string | null = null;
  let diverted: ((text: string) => void) | null = null;
  const above = (write: () => void) => {
    if (status === null) return write();
    terminal.stderr.write(ERASE);
    write();
    terminal.stderr.write(status);
  };
  const jsonLine = (document: unknown) => terminal.stdout.write(`${unseenEscaped(JSON.stringify(document))}\n`);
  const timestamp = () => new Date(clock.now()).toISOString();
  const aside = (text: string) => {
    if (diverted) return diverted(text);
    const { stderr } = terminal;
    const shown = stderr.isTerminal ? wrapSentences(text, stderr.columns()) : text;
    above(() => stderr.write(`${shown}\n`));
  };
  return {
    paint,
    line: (text = "") => (diverted ? diverted(text) : above(() => terminal.stdout.write(`${text}\n`))),
    divert: (say) => {
      diverted = say;
      return () => {
        diverted = null;
      };
    },
    status: (line) => {
      if ((status === null && line === null) || flags().plain || diverted) return;
      status = line;
      terminal.stderr.write(`${ERASE}${line ?? ""}`);
    },
    note: (text) => {
      if (!flags().json && !flags().quiet) aside(text);
    },
    warn: (text) => {
      const inside = flags().json && !terminal.stderr.isTerminal;
      if (inside && flags().lines) jsonLine({ type: "warning", timestamp: timestamp(), message: text });
      else if (inside) warnings.push(text);
      else aside(`${paint("yellow", "!", "stderr")} ${text}`);
    },
    json: (document) => {
      if (flags().lines) jsonLine({ type: "answer", timestamp: timestamp(), ...(document as object) });
      else terminal.stdout.write(printed(withWarnings(document, warnings)));
    },
    jsonLine,
    markdown: async (text) => {
      const { stdout } = terminal;
      if (!stdout.isTerminal) return stdout.write(`${text}\n`);
      const { renderMarkdown } = await import("#ui/markdown");
      stdout.write(`${renderMarkdown(text, { width: stdout.columns(), paint, plain: flags().plain })}\n`);
    },
    table: async (columns, rows) => {
      if (!terminal.stdout.isTerminal) {
        for (const row of rows)
          terminal.stdout.write(`${row.map((cell) => cell.replace(/[\t\r\n]+/g, " ")).join("\t")}\n`);
        return;
      }
      const { layOut } = await import("#ui/table");
      const { header, lines } = layOut(columns, rows, flags().plain ? 0 : terminal.stdout.columns());
      terminal.stdout.write(`${(header === null ? lines : [paint("dim", header), ...lines]).join("\n")}\n`);
    },
    fail: (problem, document) => {
      // What it went to meanwhile is over as well; after a crash nobody else said so.
      diverted = null;
      if (document !== undefined) terminal.stdout.write(printed(document));
      else if (flags().json) {
        const body = { status: "error", ...problemBody(problem), hint: problem.hint };
        if (flags().lines) jsonLine({ type: "error", timestamp: timestamp(), errorText: problem.message, ...body });
        else terminal.stdout.write(printed(withWarnings(body, warnings)));
      }
      aside(`${paint("red", "✗", "stderr")} ${problem.message}`);
      if (problem.hint) aside(`  ${problem.hint}`);
    },
  };
}

function withWarnings(document: unknown, warnings: string[]): unknown {
  const isObject = typeof document === "object" && document !== null && !Array.isArray(document);
  return isObject && warnings.length > 0 ? { ...document, warnings } : document;
}

/**
 * One JSON document. Its values are raw, but what JSON leaves as it is and a terminal obeys or hides (C1 controls, bidi overrides, zero-width
 * characters) is written as an escape, which a parser reads as the very same value (case U17).
 */
function printed(document: unknown): string {
  return `${unseenEscaped(JSON.stringify(document, null, 2))}\n`;
}

function unseenEscaped(json: string): string {
  return json.replace(UNSEEN, escaped);
}

const UNSEEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

/** What JSON's own layout is made of, and what joins the letters and emoji of ordinary text. */
const KEPT = /^(?:\n|\u200c|\u200d|[\ufe00-\ufe0f])$/;

function escaped(character: string): string {
  if (KEPT.test(character)) return character;
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
