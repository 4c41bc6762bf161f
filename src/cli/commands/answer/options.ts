import { findClosestName } from "#protocol/closest-name";
import type { InteractionAnswer } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import type { InputField } from "#protocol/events";
import { isSecretField, parseField } from "#ui/cards/form-field";
import { toLine } from "#ui/text/words";
import type { CardItem } from "#ui/view/view";

/** Options of `kay answer`. */
export type AnswerOptions = {
  approve?: boolean;
  scope?: string;
  deny?: boolean;
  reason?: string;
  edit?: string;
  field: string[];
  decline?: boolean;
  cancel?: boolean;
};

const SCOPES = ["once", "session", "always"] as const;

/**
 * The answer that the options give to a card, or undefined where they give none.
 *
 * @throws Problem USAGE for options that do not go together or not with this card, INVALID_REQUEST for a value that its field cannot take
 */
export function parseAnswerOptions(card: CardItem, options: AnswerOptions): InteractionAnswer | undefined {
  const given = ["approve", "deny", "decline", "cancel"].filter((name) => options[name as keyof AnswerOptions]);
  if (options.field.length > 0) given.push("field");
  if (options.edit !== undefined && !options.approve) given.push("edit");
  if (given.length > 1) throw new Problem("USAGE", `Give one of ${given.map((name) => `--${name}`).join(" and ")}.`);
  const [only] = given;
  if (only && !FITTING[card.type].includes(only))
    throw new Problem("USAGE", `--${only} does not answer ${NAMES[card.type]}.`, { hint: HINTS[card.type] });
  if (options.scope !== undefined && only !== "approve" && only !== "edit")
    throw new Problem("USAGE", "--scope goes with --approve.");
  if (card.type === "approval") return approvalAnswer(options, only);
  if (only === "cancel") return { action: "cancel" };
  if (only === "decline") return { action: "deny", ...getReason(options) };
  if (only === "field" && card.type === "form") return { action: "submit", input: getInput(card, options.field) };
  return undefined;
}

function approvalAnswer(options: AnswerOptions, only: string | undefined): InteractionAnswer | undefined {
  if (only === "deny") return { action: "deny", ...getReason(options) };
  if (only !== "approve" && only !== "edit") return undefined;
  const scope = SCOPES.find((each) => each === (options.scope ?? "once"));
  if (!scope) throw new Problem("USAGE", `--scope is one of ${SCOPES.join(", ")}.`);
  const edited_args = options.edit === undefined ? undefined : getObject(options.edit);
  return { action: "approve", approval_scope: scope, ...(edited_args ? { edited_args } : {}) };
}

function getReason({ reason }: AnswerOptions): { reason?: string } {
  return reason ? { reason } : {};
}

/** What was shown stays where no field says otherwise. */
function getInput(card: Extract<CardItem, { type: "approval" | "form" }>, given: string[]): Record<string, unknown> {
  const fields = card.request.input_schema?.fields ?? [];
  const typed = new Map(given.map((text) => keyValue(text, fields)));
  const values = fields.flatMap((field): [string, unknown][] => {
    const before = card.request.initial_values?.[field.id] ?? field.defaultValue;
    const read = parseField(field, typed.get(field.id) ?? "", before);
    if ("error" in read) throw wrong(field, read.error);
    return read.value === undefined ? [] : [[field.id, read.value]];
  });
  return Object.fromEntries(values);
}

function keyValue(text: string, fields: InputField[]): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new Problem("USAGE", `--field ${JSON.stringify(toLine(text))} is no key=value.`);
  const id = text.slice(0, at);
  const field = fields.find((each) => each.id === id);
  const ids = fields.map((each) => each.id);
  if (!field) {
    const close = findClosestName(id.toLowerCase(), ids);
    const guess = close ? ` Did you mean ${toLine(close)}?` : "";
    const message = `There is no field ${JSON.stringify(toLine(id))}.${guess} The fields are ${ids.map(toLine).join(", ")}.`;
    throw new Problem("USAGE", message);
  }
  if (isSecretField(field)) throw wrong(field, "kay takes no secrets here; they belong in a browser.");
  return [id, text.slice(at + 1)];
}

function wrong(field: InputField, error: string): Problem {
  return new Problem("INVALID_REQUEST", `${toLine(field.label || field.id)}: ${error}`, {
    hint: "Run `kay pending --json` to see its fields.",
    details: { field: field.id },
  });
}

function getObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new Problem("USAGE", "--edit takes a JSON object: all that is to be sent.");
}

const FITTING: Record<CardItem["type"], string[]> = {
  approval: ["approve", "deny", "edit"],
  form: ["field", "decline", "cancel"],
  auth: ["cancel"],
};

const NAMES = { approval: "an approval", form: "a form", auth: "a request to connect" };

const HINTS = {
  approval: "Give --approve, --edit JSON or --deny.",
  form: "Give --field key=value for its fields, --decline or --cancel.",
  auth: "Give --cancel, or nothing to connect.",
};
