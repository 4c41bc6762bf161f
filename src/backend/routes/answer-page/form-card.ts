import { cleanLine } from "#protocol/clean";
import { findLimitFault } from "#protocol/field-limits";
import { foldWhitespace } from "#protocol/input-fields";
import type { InputField, InteractionRequest } from "#protocol/interactions";
import { isSecretField, SECRETS_REFUSED } from "#protocol/secret-field";
import { escapeHtml } from "../../connections/consent/page.ts";

/** Renders who asks with a form, and why. */
export function renderFormHead({ tool_name, prompt }: InteractionRequest): string {
  const note =
    tool_name === "ask_user" ? "<p>The model wrote this. kay never needs a password, key or code.</p>\n" : "";
  return `<h1>${escapeHtml(cleanLine(tool_name))} asks</h1>
${prompt ? `<p class="value">${escapeHtml(foldWhitespace(prompt))}</p>\n` : ""}${note}`;
}

/** Renders the fields of a form. A field for a secret cannot be filled in. */
export function renderFormFields(
  { input_schema, initial_values = {} }: InteractionRequest,
  form?: URLSearchParams,
): string {
  return (input_schema?.fields ?? [])
    .map((field, index) => {
      const values = form?.getAll(getName(index)) ?? toTexts(initial_values[field.id] ?? field.defaultValue);
      const label = `${cleanLine(field.label || field.id)}${field.required ? " (required)" : ""}`;
      const help = field.description ? `<small>${escapeHtml(cleanLine(field.description))}</small>` : "";
      if (isSecretField(field)) return `<p class="warning">${escapeHtml(label)}: ${SECRETS_REFUSED}</p>`;
      const options = field.options ?? [];
      if (field.type === "checkbox") return renderBoxes(index, { field, label, help, values });
      const input = options.length > 0 ? renderSelect(index, field, values) : renderText(index, field, values);
      return `<label>${escapeHtml(label)}${help}${input}</label>`;
    })
    .join("\n");
}

/** Reads the values of a form, by field ID. */
export function parseForm(
  { input_schema }: InteractionRequest,
  form: URLSearchParams,
): { input: Record<string, unknown> } | { error: string } {
  const entries: [string, unknown][] = [];
  for (const [index, field] of (input_schema?.fields ?? []).entries()) {
    const value = isSecretField(field) ? undefined : readValue(field, form.getAll(getName(index)));
    const name = `“${cleanLine(field.label || field.id)}”`;
    if (value === undefined && field.required) return { error: `${name} must be filled in.` };
    if (value === undefined) continue;
    const fault = field.limits && typeof value !== "boolean" ? findLimitFault(field.limits, value) : undefined;
    if (fault) return { error: `${name} ${fault}.` };
    entries.push([field.id, value]);
  }
  return { input: Object.fromEntries(entries) };
}

/** Returns a value as a terminal would send it: options by their value, a single checkbox as true or false. */
function readValue({ type, options = [] }: InputField, texts: string[]): unknown {
  const knownValues = options.map(({ value }) => value);
  if (type === "checkbox" && options.length === 0) return texts.length > 0;
  const choices =
    options.length > 0 ? texts.filter((text) => knownValues.includes(text)) : texts.filter((text) => text !== "");
  if (type === "checkbox") return choices.length > 0 ? choices : undefined;
  return choices[0] === undefined ? undefined : toLineFeeds(choices[0]);
}

function renderText(index: number, { type }: InputField, [value = ""]: string[]): string {
  const name = getName(index);
  if (type === "textarea") return `<textarea name="${name}" rows="5">\n${escapeHtml(value)}</textarea>`;
  return `<input name="${name}" value="${escapeHtml(value)}">`;
}

function renderSelect(index: number, { options = [], required }: InputField, values: string[]): string {
  const optionTags = options.map(
    ({ value, label }) =>
      `<option value="${escapeHtml(value)}"${values.includes(value) ? " selected" : ""}>${escapeHtml(cleanLine(label))}</option>`,
  );
  const emptyOption = required ? "" : '<option value=""></option>';
  return `<select name="${getName(index)}">${emptyOption}${optionTags.join("")}</select>`;
}

type Boxes = { field: InputField; label: string; help: string; values: string[] };

function renderBoxes(index: number, { field: { options = [] }, label, help, values }: Boxes): string {
  const renderCheckbox = (value: string, text: string) =>
    `<label class="box"><input type="checkbox" name="${getName(index)}" value="${escapeHtml(value)}"${values.includes(value) ? " checked" : ""}> ${escapeHtml(text)}</label>`;
  if (options.length === 0) return `${renderCheckbox("true", label)}${help}`;
  const boxes = options.map(({ value, label: text }) => renderCheckbox(value, cleanLine(text)));
  return `<fieldset><legend>${escapeHtml(label)}</legend>${help}${boxes.join("\n")}</fieldset>`;
}

function toTexts(value: unknown): string[] {
  if (value === undefined || value === null || value === false) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

/** Returns the name of a field's input. Tools choose the IDs of fields, so the page uses numbers. */
function getName(index: number): string {
  return `field_${index}`;
}

/** Browsers send line breaks as CRLF. */
export function toLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
