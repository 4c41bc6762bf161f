import { suggestName } from "#protocol/closest-name";
import type { InteractionAnswer } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import type { InputField } from "#protocol/interactions";
import { tryParseJson } from "#protocol/json";
import { isSecretField, SECRETS_REFUSED } from "#protocol/secret-field";
import { parseField } from "#ui/cards/form-field";
import { toLine } from "#ui/text/words";
import type { CardItem } from "#ui/view/view";

export type AnswerOptions = {
  approve?: boolean;
  scope?: string;
  deny?: boolean;
  reason?: string;
  edit?: string;
  field: string[];
  decline?: boolean;
  cancel?: boolean;
  link?: boolean;
};

const SCOPES = ["once", "session", "always"] as const;

/**
 * Returns the answer that the options give to a card, or undefined if they give none.
 *
 * @throws Problem USAGE when options conflict or do not fit the card, INVALID_REQUEST when a field does not accept its
 * value
 */
export function parseAnswerOptions(card: CardItem, options: AnswerOptions): InteractionAnswer | undefined {
  const actions = ["approve", "deny", "decline", "cancel"].filter((name) => options[name as keyof AnswerOptions]);
  if (options.field.length > 0) actions.push("field");
  if (options.edit !== undefined && !options.approve) actions.push("edit");
  if (actions.length > 1)
    throw new Problem("USAGE", `Use only one of ${actions.map((name) => `--${name}`).join(" and ")}.`);
  const [only] = actions;
  if (only && !FITTING[card.type].includes(only))
    throw new Problem("USAGE", `--${only} cannot answer ${NAMES[card.type]}.`, { hint: HINTS[card.type] });
  if (options.scope !== undefined && only !== "approve" && only !== "edit")
    throw new Problem("USAGE", "--scope requires --approve.");
  if (card.type === "approval") return toApprovalAnswer(options, only);
  if (only === "cancel") return { action: "cancel" };
  if (only === "decline") return { action: "deny", ...getReason(options) };
  if (only === "field" && card.type === "form") return { action: "submit", input: getInput(card, options.field) };
  return undefined;
}

function toApprovalAnswer(options: AnswerOptions, only: string | undefined): InteractionAnswer | undefined {
  if (only === "deny") return { action: "deny", ...getReason(options) };
  if (only !== "approve" && only !== "edit") return undefined;
  const scope = SCOPES.find((scope) => scope === (options.scope ?? "once"));
  if (!scope) throw new Problem("USAGE", `--scope must be one of ${SCOPES.join(", ")}.`);
  const edited_args = options.edit === undefined ? undefined : getObject(options.edit);
  return { action: "approve", approval_scope: scope, ...(edited_args ? { edited_args } : {}) };
}

function getReason({ reason }: AnswerOptions): { reason?: string } {
  return reason ? { reason } : {};
}

/** Fields that are not given keep the value shown on the card. */
function getInput(card: Extract<CardItem, { type: "approval" | "form" }>, answers: string[]): Record<string, unknown> {
  const fields = card.request.input_schema?.fields ?? [];
  const typedValues = new Map(answers.map((text) => splitKeyValue(text, fields)));
  const values = fields.flatMap((field): [string, unknown][] => {
    const initialValue = card.request.initial_values?.[field.id] ?? field.defaultValue;
    const read = parseField(field, typedValues.get(field.id) ?? "", initialValue);
    if ("error" in read) throw createFieldProblem(field, read.error);
    return read.value === undefined ? [] : [[field.id, read.value]];
  });
  return Object.fromEntries(values);
}

function splitKeyValue(text: string, fields: InputField[]): [string, string] {
  const index = text.indexOf("=");
  if (index < 1) throw new Problem("USAGE", `--field ${JSON.stringify(toLine(text))} is not in the form key=value.`);
  const id = text.slice(0, index);
  const field = fields.find((field) => field.id === id);
  const ids = fields.map((field) => field.id);
  if (!field) {
    const guess = suggestName(id, ids, toLine);
    const message = `Unknown field ${JSON.stringify(toLine(id))}.${guess && ` ${guess}`} Fields: ${ids.map(toLine).join(", ")}.`;
    throw new Problem("USAGE", message);
  }
  if (isSecretField(field)) throw createFieldProblem(field, SECRETS_REFUSED);
  return [id, text.slice(index + 1)];
}

function createFieldProblem(field: InputField, error: string): Problem {
  return new Problem("INVALID_REQUEST", `${toLine(field.label || field.id)}: ${error}`, {
    hint: "Run `kay pending --json` to see the fields.",
    details: { field: field.id },
  });
}

function getObject(text: string): Record<string, unknown> {
  const value = tryParseJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Problem("USAGE", "--edit requires a JSON object with every field to send.");
}

const FITTING: Record<CardItem["type"], string[]> = {
  approval: ["approve", "deny", "edit"],
  form: ["field", "decline", "cancel"],
  auth: ["cancel"],
};

const NAMES = { approval: "an approval", form: "a form", auth: "a connection request" };

const HINTS = {
  approval: "Use --approve, --edit <json> or --deny.",
  form: "Use --field key=value, --decline or --cancel.",
  auth: "Use --cancel, or no option to connect.",
};
