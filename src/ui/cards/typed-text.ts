import { clean } from "#protocol/clean";
import { toLine } from "../text/words.ts";
import type { CardUi } from "./card-state.ts";
import { type FieldEditor, getFieldValue } from "./field-editor.ts";
import { formatValue } from "./form-field.ts";
import { hasInput } from "./update-card.ts";

/** Lists what the user typed into a card and did not send: one entry for each field, and the reason. */
export function listTypedText(ui: CardUi): string[] {
  if (!hasInput(ui) || ui.type === "auth" || ui.type === "confirmation") return [];
  const reason = ui.why.text.trim();
  return [...(ui.fill?.changed ? listFields(ui.fill) : []), ...(reason ? [`  Reason: ${clean(reason)}`] : [])];
}

function listFields(fill: FieldEditor): string[] {
  return fill.entries.flatMap((entry) => {
    const { field } = entry;
    const value = getFieldValue(entry);
    const shown = typeof value === "string" && !field.options?.length ? clean(value) : formatValue(field, value);
    if (shown.trim() === "") return [];
    return [`  ${toLine(field.label || field.id)}: ${shown.replaceAll("\n", "\n    ")}`];
  });
}
