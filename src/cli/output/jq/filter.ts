import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { Kay } from "../../kay.ts";
import type { Sink } from "../../terminal/terminal.ts";
import { escapeInvisible } from "../json.ts";
import type { DocumentFilter } from "../output.ts";
import type { JqResult, JqThread } from "./engine.ts";

/**
 * Prints every document of this command through the expression.
 * @throws Problem USAGE for an expression that does not compile
 */
export async function applyJqFilter(kay: Kay, expression: string): Promise<void> {
  const thread = await kay.startJq(expression);
  kay.signal.addEventListener("abort", thread.end, { once: true });
  kay.out.setFilter(await createFilter(thread, kay.terminal));
}

/**
 * Creates a filter and checks that its expression compiles.
 *
 * @throws Problem USAGE for an invalid expression, before anything is done
 */
async function createFilter(thread: JqThread, { stdout, stderr }: Streams): Promise<DocumentFilter> {
  const compiled = await thread.run("");
  if ("ended" in compiled || compiled.code !== 0) {
    thread.end();
    throw new Problem("USAGE", `The --jq expression does not compile: ${explainFailure(compiled)}`, { hint: HINT });
  }
  let problem: Problem | undefined;
  const print = (ran: JqResult) => {
    if ("ended" in ran || ran.code !== 0) problem ??= new Problem("FILTER_FAILED", `${DONE} ${explainFailure(ran)}`);
    if ("ended" in ran) return;
    if (ran.code === 0 && ran.errors) stderr.write(clean(ran.errors));
    stdout.write(
      ran.output
        .split("\n")
        .slice(0, -1)
        .map((line) => formatResult(line, stdout))
        .join(""),
    );
  };
  let previous = Promise.resolve();
  return {
    push(document) {
      const ran = thread.run(JSON.stringify(document));
      previous = previous.then(async () => print(await ran));
    },
    async flush() {
      await previous;
      thread.end();
      if (problem) throw problem;
    },
    end: thread.end,
  };
}

type Streams = { stdout: Sink; stderr: Sink };

const HINT = "For the syntax, see https://jqlang.org/manual";
const DONE = "The command succeeded, but its --jq expression failed:";

/** Prints a string raw, like `jq -r`, but cleaned for a terminal; everything else as compact JSON. */
function formatResult(line: string, stdout: Sink): string {
  if (!line.startsWith('"')) return `${escapeInvisible(line)}\n`;
  const text: string = JSON.parse(line);
  return `${stdout.isTerminal ? clean(text) : text}\n`;
}

function explainFailure(ran: JqResult): string {
  if ("ended" in ran) return LIMITS[ran.ended];
  const [line = ""] = ran.errors.replace(/^jq: error(?: \(at [^)]*\))?(?: \(not a string\))?:? ?/, "").split("\n");
  const sentence = clean(line, { lines: false, max: 300 }).replace(/ at <top-level>, line \d+:?$/, "");
  return `${sentence || "no reason given"}.`.replace(/([.?!])\.$/, "$1");
}

const LIMITS = {
  time: "it did not finish within 10 seconds.",
  output: "it printed more than 32 MB.",
  memory: "it needed more than 512 MB of memory.",
  fault: "it was ended.",
};
