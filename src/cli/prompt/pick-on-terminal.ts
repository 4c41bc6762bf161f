import { Problem } from "#protocol/errors";
import { type Choice, createPicker, getPickerPlace, type PickerPlace, updatePicker } from "#ui/picker/picker";
import { layOutPicker } from "#ui/picker/picker-rows";
import type { Kay } from "../kay.ts";
import { wrapSentences } from "../output/wrap.ts";
import { readPromptKeys } from "../terminal/keys.ts";

/** Maximum number of visible choices. */
const MOST_ROWS = 12;

/**
 * Draws a picker below the cursor and removes it afterwards. Other output appears above it. Ctrl+C ends the command.
 *
 * @param place see `pickSome`
 * @throws Problem CANCELLED when the command ends
 */
export async function pickOnTerminal(
  kay: Kay,
  question: string,
  choices: readonly Choice[],
  multiple: boolean,
  place?: PickerPlace,
): Promise<string[] | null> {
  const { stderr } = kay.terminal;
  const outcome = Promise.withResolvers<string[] | null>();
  let picker = createPicker(question, choices, multiple, place);
  const draw = () => {
    const width = Math.max(10, stderr.columns() - 3);
    const maxRows = Math.max(1, Math.min(MOST_ROWS, stderr.rows() - 4));
    const { question: label, column, rows, hint } = layOutPicker(picker, { width, maxRows });
    const list = rows.map(({ text, chosen }) => (chosen ? kay.out.paint("bold", `❯ ${text}`, "stderr") : `  ${text}`));
    const below = [...list, kay.out.paint("dim", hint, "stderr")];
    stderr.write(`${CLEAR}${label}\n${below.join("\n")}\x1b[${below.length}A\r\x1b[${column + 1}C`);
  };
  const release = readPromptKeys(kay, (key) => {
    const step = updatePicker(picker, key);
    picker = step.picker;
    if (place) Object.assign(place, getPickerPlace(picker));
    if (step.chosen === undefined) draw();
    else outcome.resolve(step.chosen);
  });
  const restore = kay.out.divert((text) => {
    stderr.write(`${CLEAR}${wrapSentences(text, stderr.columns())}\n`);
    draw();
  });
  const releases = [release, restore, stderr.onResize(draw), kay.terminal.onContinue(draw)];
  const abort = () => outcome.resolve(null);
  kay.signal.addEventListener("abort", abort, { once: true });
  try {
    draw();
    const values = await outcome.promise;
    if (kay.signal.aborted) throw new Problem("CANCELLED", "Canceled.");
    return values;
  } finally {
    kay.signal.removeEventListener("abort", abort);
    for (const stop of releases) stop();
    stderr.write(CLEAR);
  }
}

/** The cursor is in the first row of the picker. */
const CLEAR = "\r\x1b[J";
