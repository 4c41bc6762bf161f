import type { PreviewField } from "#protocol/ask";
import { ACCESS_TEXTS, formatRequest, listRanTexts, listReasons, listSummaries } from "#protocol/card-text";
import { cleanLine } from "#protocol/clean";
import { formatOrigin, listFieldTexts } from "#protocol/input-fields";
import type { ApprovalScope, InteractionRequest } from "#protocol/interactions";
import { tryParseJson } from "#protocol/json";
import { escapeHtml } from "../../connections/consent/page.ts";
import { toLineFeeds } from "./form-card.ts";

/** Returns the name of the input for an edited field. Tools choose the names of fields, so the page uses numbers. */
const getEditName = (index: number) => `edit_${index}`;

/** Renders the call of an approval: every field as it would be sent, with marks on text that others wrote. */
export function renderApproval(request: InteractionRequest): string {
  const access = request.preview?.access;
  return `<h1>Approve ${escapeHtml(cleanLine(request.tool_name))}?</h1>
${access === "destructive" ? `<p class="warning">This ${ACCESS_TEXTS.destructive}.</p>\n` : ""}<p>${escapeHtml(formatRequest(request))}</p>
${listSummaries(request).map(renderLines).join("\n")}
${renderFields(request.preview?.fields ?? [])}${listReasons(request)
  .map((text) => `<p class="warning">${escapeHtml(text.trim())}</p>\n`)
  .join("")}${listRanTexts(request).map(renderLines).join("\n")}`;
}

/** Renders the fields as inputs. A text is edited as it is, any other value as JSON. */
export function renderEditor(request: InteractionRequest, form?: URLSearchParams): string {
  const fields = request.preview?.fields ?? [];
  return fields
    .map((field, index) => {
      const name = cleanLine(field.name);
      const text = form?.get(getEditName(index)) ?? toEditText(field);
      // A line break after the tag is not part of the text.
      return `<label>${escapeHtml(name)}${renderNote(formatOrigin(field))}
<textarea name="${getEditName(index)}" rows="${countRows(text)}" spellcheck="false">
${escapeHtml(text)}</textarea></label>`;
    })
    .join("\n");
}

/** Counts the rows of a text on a phone, up to 12. */
function countRows(text: string): number {
  const rows = text.split("\n").map((line) => Math.max(1, Math.ceil(line.length / CHARACTERS_PER_ROW)));
  return Math.min(
    12,
    rows.reduce((sum, count) => sum + count, 1),
  );
}

const CHARACTERS_PER_ROW = 36;

/** Reads the edited input. Fields that were not changed keep their value exactly. */
export function parseEdit(
  { preview }: InteractionRequest,
  form: URLSearchParams,
): { edited: Record<string, unknown> | undefined } | { error: string } {
  const fields = preview?.fields ?? [];
  const entries: [string, unknown][] = [];
  let isChanged = false;
  for (const [index, field] of fields.entries()) {
    const originalText = toEditText(field);
    const text = toLineFeeds(form.get(getEditName(index)) ?? originalText);
    const isSame = text === toLineFeeds(originalText);
    isChanged ||= !isSame;
    const value = isSame || typeof field.value === "string" ? text : tryParseJson(text);
    if (value === undefined) return { error: `“${cleanLine(field.name)}” must be JSON, as it was.` };
    entries.push([field.name, isSame ? field.value : value]);
  }
  return { edited: isChanged ? Object.fromEntries(entries) : undefined };
}

/** Renders one button for each scope of approval. */
export function renderScopes({ approval_scopes: scopes }: InteractionRequest, verb = "Approve"): string {
  const scopeOptions = scopes ?? [{ scope: "once" as const, words: "once" }];
  return scopeOptions
    .map(({ scope, words }, index) => {
      const name = SCOPES[scope];
      const line = cleanLine(words);
      const text = scope === "once" || line.startsWith(name) ? line || name : `${name}: ${line}`;
      return `<button name="decision" value="${scope}"${index === 0 ? ' class="primary"' : ""}>${verb} ${escapeHtml(text)}</button>`;
    })
    .join("\n");
}

/** Returns the scope that a button stands for. */
export function parseScope(decision: string | null): ApprovalScope | undefined {
  return decision !== null && Object.hasOwn(SCOPES, decision) ? (decision as ApprovalScope) : undefined;
}

const SCOPES: Record<ApprovalScope, string> = { once: "once", session: "this session", always: "always" };

function renderFields(fields: PreviewField[]): string {
  const rows = fields
    .flatMap(listFieldTexts)
    .map(
      ({ name, note, text }) =>
        `<dt>${escapeHtml(name)}${renderNote(note)}</dt><dd class="value">${escapeHtml(text)}</dd>`,
    );
  return rows.length === 0 ? "" : `<dl class="fields">${rows.join("\n")}</dl>\n`;
}

function renderNote(note: string): string {
  return note === "" ? "" : ` <strong class="note">${escapeHtml(note.trim())}</strong>`;
}

/** Returns lines of terminal text without their indentation. */
function renderLines(text: string): string {
  return `<p class="value">${escapeHtml(text.replace(/^ {2}/gm, ""))}</p>`;
}

function toEditText({ value }: PreviewField): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
