import { styleText } from "node:util";
import { type Problem, toProblemBody } from "#protocol/errors";
import type { Style } from "#ui/style";
import { type Terminal, wantsColor } from "../terminal/terminal.ts";
import { addWarnings, formatJson, formatJsonLine } from "./json.ts";
import { wrapSentences } from "./wrap.ts";

/** Options of the output, from the global flags. */
export type OutputFlags = { json: boolean; jq?: string; quiet: boolean; plain: boolean; color?: string };

/**
 * All output of a command. stdout has the answer, stderr everything else. With `--json`, stdout is one document;
 * without a terminal, it includes the warnings, so that `2>&1` stays parseable. With JSON Lines, warnings and the
 * failure are lines too.
 */
export type Output = {
  /** The one JSON document of `--json`. Collected warnings join it as `warnings`. */
  writeJson(document: unknown): void;
  /** Writes one of several documents, each on a line. */
  writeJsonLine(document: unknown): void;
  /** Prints all further documents through this filter; a failure then has no document (`--jq`). */
  setFilter(filter: DocumentFilter): void;
  /** Waits until everything is printed. @throws Problem FILTER_FAILED */
  flush(): Promise<void>;
  /** Prints answers and failures as lines in the format of this function (`--stream`). */
  setLineFormat(lineOf: LineOf): void;
  /** Prints a finished text of the answer. If PAGER is set, text longer than the terminal goes through it. */
  writeText(text: string): Promise<void>;
  /**
   * Prints a line of the answer on stdout. A terminal gets it wrapped between words, with addresses and commands whole.
   */
  writeLine(text?: string): void;
  /** Prints text of the answer unchanged, because it is laid out already or is to be copied: a command, a path. */
  writeVerbatim(text: string): void;
  /** Prints Markdown of an answer: formatted on a terminal, unchanged elsewhere. */
  writeMarkdown(text: string): Promise<void>;
  /** Prints rows: as a table on a terminal, tab-separated without header elsewhere. */
  writeTable(columns: string[], rows: string[][]): Promise<void>;
  /** Prints progress and advice on stderr; silent with `--quiet` or `--json`. */
  writeProgress(text: string): void;
  /** Reports a problem that does not stop the command. */
  warn(text: string): void;
  /** Prints the failure of a command: the message and the next step. `document` is always printed on stdout. */
  writeError(problem: Problem, document?: unknown): void;
  /**
   * Shows a line at the bottom of the terminal that is redrawn in place; `null` removes it. Other output appears above
   * it. Not shown if nothing may be redrawn.
   */
  setStatusLine(line: string | null): void;
  /**
   * Sends all output to `say` instead of the streams, as whole texts without the last line break. Returns the function
   * that restores the streams.
   */
  divert(say: (text: string) => void): () => void;
  paint(style: Style, text: string, stream?: "stdout" | "stderr"): string;
};

type LineOf = (type: "answer" | "warning" | "error", document: Record<string, unknown>) => unknown;

const ERASE = "\r\x1b[2K";

/** Creates the output of one run. `page` shows a text with a pager, or returns that it does not. */
export function createOutput(
  terminal: Terminal,
  env: Record<string, string | undefined>,
  flags: () => OutputFlags,
  page: (text: string) => Promise<boolean>,
): Output {
  const warnings: string[] = [];
  const paint: Output["paint"] = (style, text, stream = "stdout") =>
    wantsColor(terminal[stream], env, flags().color) ? styleText(style, text, { validateStream: false }) : text;
  let status: string | null = null;
  let diverted: ((text: string) => void) | null = null;
  let filter: DocumentFilter | undefined;
  let lineOf: LineOf | undefined;
  const writeAboveStatus = (write: () => void) => {
    if (status === null) return write();
    terminal.stderr.write(ERASE);
    write();
    terminal.stderr.write(status);
  };
  const aside = (text: string) => {
    if (diverted) return diverted(text);
    const { stderr } = terminal;
    const visible = stderr.isTerminal ? wrapSentences(text, stderr.columns()) : text;
    writeAboveStatus(() => stderr.write(`${visible}\n`));
  };
  const jsonLine = (document: unknown) =>
    filter ? filter.push(document) : terminal.stdout.write(formatJsonLine(document));
  const showFailure = (problem: Problem, document: unknown) => {
    if (document === undefined && !flags().json) return;
    const body = addWarnings({ status: "error", ...toProblemBody(problem), hint: problem.hint }, warnings);
    if (document === undefined && lineOf) jsonLine(lineOf("error", body as Record<string, unknown>));
    else terminal.stdout.write(formatJson(document ?? body));
  };
  const text = async (text: string) => {
    if (diverted || status !== null || !(await page(`${text}\n`))) terminal.stdout.write(`${text}\n`);
  };
  const verbatim = (text: string) =>
    diverted ? diverted(text) : writeAboveStatus(() => terminal.stdout.write(`${text}\n`));
  return {
    paint,
    writeText: text,
    writeLine: (text = "") => {
      const { stdout } = terminal;
      verbatim(stdout.isTerminal && !diverted ? wrapSentences(text, stdout.columns()) : text);
    },
    writeVerbatim: verbatim,
    divert: (say) => {
      diverted = say;
      return () => {
        diverted = null;
      };
    },
    setStatusLine: (line) => {
      if ((status === null && line === null) || flags().plain || diverted) return;
      status = line;
      terminal.stderr.write(`${ERASE}${line ?? ""}`);
    },
    writeProgress: (text) => {
      if (!flags().json && !flags().quiet) aside(text);
    },
    warn: (text) => {
      const isJsonError = flags().json && !filter && !terminal.stderr.isTerminal;
      if (isJsonError && lineOf) jsonLine(lineOf("warning", { message: text }));
      else if (isJsonError) warnings.push(text);
      else aside(`${paint("yellow", "!", "stderr")} ${text}`);
    },
    writeJson: (document) => {
      if (lineOf) return jsonLine(lineOf("answer", document as Record<string, unknown>));
      if (filter) return filter.push(document);
      terminal.stdout.write(formatJson(addWarnings(document, warnings)));
    },
    writeJsonLine: jsonLine,
    setFilter: (created) => {
      filter = created;
    },
    flush: async () => filter?.flush(),
    setLineFormat: (format) => {
      lineOf = format;
    },
    writeMarkdown: async (text) => {
      const { stdout } = terminal;
      if (!stdout.isTerminal) return stdout.write(`${text}\n`);
      const { renderMarkdown } = await import("#ui/markdown/progressive");
      const { loadHighlightingFor } = await import("#ui/markdown/highlight");
      await loadHighlightingFor([text]);
      stdout.write(`${renderMarkdown(text, { width: stdout.columns(), paint, plain: flags().plain })}\n`);
    },
    writeTable: async (columns, rows) => {
      if (!terminal.stdout.isTerminal) {
        for (const row of rows)
          terminal.stdout.write(`${row.map((cell) => cell.replace(/[\t\r\n]+/g, " ")).join("\t")}\n`);
        return;
      }
      const { layOutTable } = await import("#ui/text/table");
      const { header, lines } = layOutTable(columns, rows, flags().plain ? 0 : terminal.stdout.columns());
      await text((header === null ? lines : [paint("dim", header), ...lines]).join("\n"));
    },
    writeError: (problem, document) => {
      // Ends a diversion, which nothing else does after a crash.
      diverted = null;
      if (flags().jq === undefined) showFailure(problem, document);
      aside(`${paint("red", "✗", "stderr")} ${problem.message}`);
      if (problem.hint) aside(`  ${problem.hint}`);
    },
  };
}

/** The filter of every document with `--jq`. */
export type DocumentFilter = {
  /** Prints the result of the expression for a document. Documents keep their order. */
  push(document: unknown): void;
  /**
   * Waits until everything is printed.
   * @throws Problem FILTER_FAILED for the first document for which the expression failed
   */
  flush(): Promise<void>;
  /** Ends the thread. */
  end(): void;
};
