import type { InteractionAnswer } from "#protocol/conversations";
import type { InputField, InteractionRequest } from "#protocol/interactions";
import { isSecretField, SECRETS_REFUSED } from "#protocol/secret-field";
import { type FormValues, formatValue, getInitialValues, parseField, pickDefined } from "#ui/cards/form-field";
import { formatFieldLabel, formatForm, toLine } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { promptKey, promptLine, promptNextLine, writeNotice } from "../prompt/question.ts";

/**
 * Asks the user to fill in a form: field by field, then a review. Submit, decline and cancel are three different
 * answers.
 *
 * @param retry the errors and the previous values, if the backend refused them
 */
export async function promptForm(
  kay: Kay,
  request: InteractionRequest,
  signal: AbortSignal,
  retry?: { message: string; values: FormValues },
): Promise<InteractionAnswer> {
  const fields = request.input_schema?.fields ?? [];
  if (request.link !== undefined) return await askVisit(kay, request, signal);
  writeNotice(kay, `\n${formatForm(retry ? { ...request, error: retry.message } : request)}\n`);
  const secrets = fields.filter(isSecretField);
  for (const field of secrets) writeNotice(kay, `! ${toLine(field.label)}: ${SECRETS_REFUSED}`);
  const open = fields.filter((field) => !secrets.includes(field));
  const canSubmit = secrets.every(({ required }) => !required);
  const start = await choose(kay, canSubmit ? { f: "fill in", ...NO } : NO, request, signal);
  if (start !== "f") return { action: start === "d" ? "deny" : "cancel" };
  let values = retry?.values ?? getInitialValues(open, request.initial_values);
  for (;;) {
    values = await fillIn(kay, open, values, signal);
    writeNotice(kay, `\nYour answers:\n${formatFilledForm(open, values)}\n`);
    const choice = await choose(kay, { s: "submit", b: "back", ...NO }, request, signal);
    if (choice === "s") return { action: "submit", input: pickDefined(values) };
    if (choice !== "b") return { action: choice === "d" ? "deny" : "cancel" };
  }
}

/** Asks about a URL that a service wants the user to visit. The text has the URL, and no field is filled in. */
async function askVisit(kay: Kay, request: InteractionRequest, signal: AbortSignal): Promise<InteractionAnswer> {
  writeNotice(kay, `\n${formatForm(request)}\n`);
  const choice = await choose(kay, { y: "continue", ...NO }, request, signal);
  if (choice === "y") return { action: "submit", input: {} };
  return { action: choice === "d" ? "deny" : "cancel" };
}

const NO = { d: "decline", c: "cancel" };

/** Asks for one of these keys. */
async function choose(
  kay: Kay,
  words: Record<string, string>,
  { expires_at: until }: InteractionRequest,
  signal: AbortSignal,
): Promise<string> {
  const text = Object.entries(words)
    .map(([key, word]) => `${key} ${word}`)
    .join(", ");
  return promptKey(kay, { text, keys: Object.keys(words), until }, signal);
}

async function fillIn(kay: Kay, fields: InputField[], initial: FormValues, signal: AbortSignal): Promise<FormValues> {
  const values: [string, unknown][] = [];
  for (const field of fields) {
    writeNotice(kay, formatFieldLabel({ ...field, options: undefined }));
    for (const [index, option] of (field.options ?? []).entries())
      writeNotice(kay, `  ${index + 1}  ${toLine(option.label)}`);
    values.push([field.id, await promptField(kay, field, initial[field.id], signal)]);
  }
  return Object.fromEntries(values);
}

async function promptField(kay: Kay, field: InputField, initial: unknown, signal: AbortSignal): Promise<unknown> {
  const suffix = initial === undefined ? "" : ` [${formatValue(field, initial)}]`;
  for (;;) {
    const reply =
      field.type === "textarea"
        ? await promptLines(kay, suffix, signal)
        : await promptLine(kay, `${HINTS[getHint(field)]}${suffix}: `, signal);
    const read = parseField(field, reply, initial);
    if ("value" in read) return read.value;
    writeNotice(kay, `✗ ${read.error}`);
  }
}

/** Reads a text of several lines, up to a line with only a dot. An empty first line keeps the previous value. */
async function promptLines(kay: Kay, start: string, signal: AbortSignal): Promise<string> {
  const first = await promptLine(kay, `Several lines; end with a line that has only a dot${start}: `, signal);
  const reply = first === "" || first === "." || first === "-" ? [] : [first];
  if (reply.length === 0) return first === "-" ? first : "";
  for (;;) {
    const next = await promptNextLine(kay, signal);
    if (next === ".") return reply.join("\n");
    reply.push(next);
  }
}

function getHint({ type, options = [] }: InputField): keyof typeof HINTS {
  if (options.length > 0) return type === "checkbox" ? "several" : "one";
  return type === "checkbox" ? "yesNo" : "text";
}

const HINTS = { text: ">", yesNo: "yes or no", one: "Which number", several: "Which numbers, separated by commas" };

/** Formats the values of a form, one line per field. */
export function formatFilledForm(fields: InputField[], values: FormValues): string {
  const lines = fields.map((field) => `  ${toLine(field.label)}: ${formatValue(field, values[field.id]) || "(empty)"}`);
  return lines.join("\n");
}
