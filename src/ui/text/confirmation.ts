import { type AskResponse, PlannedCall, type PreviewField } from "#protocol/ask";
import { clean } from "#protocol/clean";
import { formatPreviewField, listInputFields } from "#protocol/input-fields";

/**
 * Formats the message of a confirmation: every field of the plan in full, and the model's answer if the plan has no
 * calls. The result is clean.
 */
export function formatConfirmation(answer: AskResponse): string {
  const data = (answer.data ?? {}) as { plan?: unknown; response?: unknown };
  const isPlanned = Array.isArray(data.plan) && data.plan.length > 0;
  const response = !isPlanned && typeof data.response === "string" ? `\n\n${data.response}` : "";
  return (
    clean(answer.message) + clean(response) + formatActors(data.plan) + formatHiddenFields(data.plan, answer.message)
  );
}

/** Lists the accounts that the plan would use. */
function formatActors(plan: unknown): string {
  const accounts = (Array.isArray(plan) ? plan : []).map((call) => (call as { account?: unknown } | null)?.account);
  const names = new Set(accounts.filter((account) => typeof account === "string" && account.trim() !== ""));
  return names.size > 0 ? `\n\nActing as ${clean([...names].join(", "), { lines: false })}.` : "";
}

/**
 * Formats the fields of a plan that are not in the message, so that users see everything they approve. kay's backend puts every field
 * into the message; other backends may show summaries alone.
 *
 * @param plan `data.plan` of the answer; other values have no fields
 * @param ending text that the user sees already
 */
function formatHiddenFields(plan: unknown, ending: string): string {
  const calls = (Array.isArray(plan) ? plan : []).flatMap((call) => {
    const { success, data } = PlannedCall.safeParse(call);
    return success ? [data] : [];
  });
  return calls.map((call) => formatCallFields(call, normalizeLines(ending))).join("");
}

function formatCallFields({ tool, input, fields }: PlannedCall, ending: string): string {
  const all = fields ?? Object.entries(input).map(([name, value]) => ({ name, value }));
  const texts = all.flatMap((field) => listInnerFields(field).map(formatPreviewField));
  const hidden = texts.filter((text) => !ending.includes(normalizeLines(text)));
  return hidden.length > 0 ? `\n\n${clean(tool, { lines: false })}:\n${hidden.join("\n")}` : "";
}

/** Inner values are fields by their path, so that each is found separately. */
function listInnerFields(field: PreviewField): PreviewField[] {
  return listInputFields(field.value, field.name).map(({ name, text }) => ({ ...field, name, value: text }));
}

/** Lines without their indentation, each with its end, so that a field is found only as whole lines. */
function normalizeLines(text: string): string {
  return `\n${text
    .split("\n")
    .map((line) => line.trim())
    .join("\n")}\n`;
}
