import { clean } from "#protocol/clean";
import type { CardUi } from "../cards/card-state.ts";
import { type FieldEditor, getFieldValue } from "../cards/field-editor.ts";
import { recordKey } from "../cards/focus.ts";
import { formatValue } from "../cards/form-field.ts";
import { type AnyCard, hasInput, takesText } from "../cards/update-card.ts";
import type { Key } from "../keys/key.ts";
import { toLine } from "../text/words.ts";
import type { SessionEffect } from "./events.ts";
import type { Session } from "./state.ts";

/** Pause after which keys count again, in ms. A user who types has noticed by then. */
const QUIET_MS = 1_000;

/** Ignores keys from now on if the user was typing text in one of the closed cards: they were meant for that card. */
export function ignoreKeysAfter(session: Session, closed: readonly string[]): Session {
  const id = session.focus.open?.id;
  const ui = id === undefined || !closed.includes(id) ? undefined : session.cards[id];
  if (!ui || !takesText(ui)) return session;
  return { ...session, held: null, ignoring: { since: Math.max(session.now, session.focus.lastKey) } };
}

/** Drops a key that follows a card which has ended, until no key came for a while. Returns null if the key counts. */
export function dropIgnoredKey(session: Session, key: Key): Session | null {
  const { ignoring } = session;
  if (ignoring === null || isChord(key) || key.at - ignoring.since >= QUIET_MS) return null;
  return { ...session, focus: recordKey(session.focus, key), ignoring: { since: key.at } };
}

/** Whether a key has the same meaning everywhere, such as Ctrl+C. */
function isChord(key: Key): boolean {
  return key.name === "text" && key.ctrl;
}

/** Prints what was typed into cards that closed before it was sent, so that it can be copied. */
export function sayLostText(session: Session, closed: readonly AnyCard[]): SessionEffect[] {
  return closed.flatMap((card): SessionEffect[] => {
    const ui = session.cards[card.id];
    const lines = ui ? listTypedText(ui) : [];
    return lines.length === 0
      ? []
      : [{ do: "say", text: ["The request has closed. What you typed was not sent:", ...lines].join("\n") }];
  });
}

/** Lists what the user typed into a card and did not send: one entry for each field, and the reason. */
function listTypedText(ui: CardUi): string[] {
  if (!hasInput(ui) || ui.type === "auth" || ui.type === "confirmation") return [];
  const reason = ui.why.text.trim();
  const fill = ui.type === "plan" ? undefined : ui.fill;
  return [...(fill?.changed ? listFields(fill) : []), ...(reason ? [`  Reason: ${clean(reason)}`] : [])];
}

function listFields(fill: FieldEditor): string[] {
  return fill.entries.flatMap((entry) => {
    const { field } = entry;
    const value = getFieldValue(entry);
    const text = typeof value === "string" && !field.options?.length ? clean(value) : formatValue(field, value);
    if (text.trim() === "") return [];
    return [`  ${toLine(field.label || field.id)}: ${text.replaceAll("\n", "\n    ")}`];
  });
}
