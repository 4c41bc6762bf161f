// biome-ignore-all lint/suspicious/noControlCharactersInRegex: terminals send control characters
import stringWidth from "string-width";

/** One line that is typed in raw mode, where kay echoes. Keys that a terminal would echo as `^[` do nothing. */
export type TypedLine = {
  /** Adds typed text. Returns the line at Enter, null at Ctrl+D in an empty line; undefined before that. */
  push(text: string): string | null | undefined;
  /** Returns the line as typed so far. */
  getText(): string;
  /** Returns what was typed or pasted after the line. */
  getRest(): string;
};

/** Effects of a typed line. */
export type TypedLineEffects = { echo(text: string): unknown; interrupt(): void; suspend(): void };

/** Creates an empty {@link TypedLine}. Backspace, Ctrl+U and Ctrl+W erase, as in a terminal's own line mode. */
export function createTypedLine({ echo, interrupt, suspend }: TypedLineEffects): TypedLine {
  const graphemes = new Intl.Segmenter();
  let text = "";
  let rest = "";
  let unfinished = "";
  let line: string | null | undefined;

  const eraseFrom = (length: number) => {
    echo("\b \b".repeat(stringWidth(text.slice(length))));
    text = text.slice(0, length);
  };
  const take = (key: string) => {
    if (key === "\x03") interrupt();
    else if (key === "\x1a") suspend();
    else if (line !== undefined) {
      rest += key;
      echo(key === "\r" ? "\n" : toShown(key));
    } else if (key === "\r" || key === "\n") {
      echo("\n");
      line = text;
    } else if (key === "\x04" && text === "") line = null;
    else if (key === "\x7f" || key === "\b") eraseFrom([...graphemes.segment(text)].at(-1)?.index ?? 0);
    else if (key === "\x15") eraseFrom(0);
    else if (key === "\x17") eraseFrom(text.trimEnd().search(/(?<!\S)\S*$/));
    else {
      text += toShown(key);
      echo(toShown(key));
    }
  };
  return {
    push(text) {
      const input = unfinished + text;
      unfinished = UNFINISHED.exec(input)?.[0] ?? "";
      for (const key of input.slice(0, input.length - unfinished.length).replace(SEQUENCES, "")) take(key);
      return line;
    },
    getText: () => text,
    getRest: () => rest,
  };
}

/** Control characters have no width and no place in a line; a tab counts as a space. */
function toShown(key: string): string {
  return key === "\t" ? " " : key.replace(/[\x00-\x1f\x7f-\x9f]/, "");
}

const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~])?/g;

/** The start of a sequence that may continue in the next read; the ESC of a key alone is dropped with it. */
const UNFINISHED = /\x1b(?:\[[0-?]*[ -/]*|O)?$/;
