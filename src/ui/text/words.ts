import type { Receipt, Usage } from "#protocol/ask";
import { formatAttachment } from "#protocol/attachment-text";
import { formatRequest, listRanTexts, listReasons, listSummaries } from "#protocol/card-text";
import { clean } from "#protocol/clean";
import { formatNewDestinations, formatPreviewField } from "#protocol/input-fields";
import type { AuthNeeded, InputField, InteractionRequest, Planned } from "#protocol/interactions";
import type { CardEnd, CardItem, MessageItem } from "../view/view.ts";

/** Texts of cards for plain terminals and scripts. They clean untrusted text and never shorten it. */

/** Formats everything that a card asks. */
export function formatCard(card: CardItem): string {
  if (card.type === "auth") return formatAuth(card.auth);
  return card.type === "approval" ? formatApproval(card.request) : formatForm(card.request);
}

/** Formats an approval: summaries, and every field as it would be sent. */
export function formatApproval(request: InteractionRequest): string {
  const { preview, error } = request;
  const parts = [
    formatRequest(request),
    ...(error ? [`✗ ${toLine(error)}`] : []),
    ...listSummaries(request),
    ...(preview?.fields ?? []).map(formatPreviewField),
    ...listReasons(request),
    ...listRanTexts(request),
  ];
  return parts.join("\n");
}

/** Formats a call that a dry run planned, and whether it would have needed approval. */
export function formatPlanned({ tool: tool_name, preview, asks, why }: Planned): string {
  const parts = [
    formatRequest({ tool_name, preview }, "would run"),
    ...listSummaries({ preview }),
    ...preview.fields.map(formatPreviewField),
    ...formatNewDestinations(preview).map((line) => `  ${line}`),
    `  ${asks ? "Would ask for approval" : "Would run without asking"}: ${toLine(why)}`,
  ];
  return parts.join("\n");
}

/** Last line of every dry run. */
export const NOTHING_SENT_TEXT = "Dry run: nothing was changed.";

/** Formats the summary of a write that was made. Links are shown as their text: the one to follow is the receipt's. */
export function formatReceiptSummary(summary: string): string {
  return toLine(summary).replace(/\[([^[\]]+)\]\(https?:[^()\s]*\)/g, "$1");
}

/** Lists notes on a receipt: whether the outcome is certain, and what allowed the write. */
export function formatReceiptNotes({ effect, allowed_by, account }: Receipt): string[] {
  const doubt =
    effect === "planned" ? ["not sent"] : effect === "settled" ? [] : ["outcome unknown; check before you retry"];
  const as = account ? `, as ${toLine(account)}` : "";
  return [...doubt, ...(allowed_by ? [`allowed by --allow ${toLine(allowed_by)}${as}`] : [])];
}

/** Formats the token usage of an answer: `1,234 tokens in, 56 out, $0.0021; conversation: 2,000 in, 80 out`. */
export function formatUsage({ conversation, ...own }: Usage): string {
  const isFirst =
    !conversation || conversation.input_tokens + conversation.output_tokens <= own.input_tokens + own.output_tokens;
  return `${formatTokens(own, " tokens")}${isFirst ? "" : `; conversation: ${formatTokens(conversation)}`}`;
}

function formatTokens(
  { input_tokens, output_tokens, cost_usd }: NonNullable<Usage["conversation"]>,
  unit = "",
): string {
  const cost = cost_usd === undefined ? "" : `, $${cost_usd.toFixed(cost_usd < 0.1 ? 4 : 2)}`;
  return `${input_tokens.toLocaleString("en")}${unit} in, ${output_tokens.toLocaleString("en")} out${cost}`;
}

/** Formats a form: who asks, why, and each field. */
export function formatForm(request: InteractionRequest): string {
  const { error, input_schema } = request;
  const parts = [
    formatAsker(request),
    ...(error ? [`✗ ${toLine(error)}`] : []),
    ...(input_schema?.fields ?? []).map((field) => `  ${formatFieldLabel(field)}`),
  ];
  return parts.join("\n");
}

/** Whether the model wrote the form, not a service. */
export function isOwnForm({ tool_name }: InteractionRequest): boolean {
  return tool_name === "ask_user";
}

/** Note below every form of the model, whose words may come from a text that it read, in any language. */
const MODEL_FORM_NOTE = "The model wrote this. kay never needs a password, key or code.";

/** Formats who asks with a form, and why. */
export function formatAsker(request: InteractionRequest): string {
  const { tool_name, prompt } = request;
  if (!isOwnForm(request)) return `${toLine(tool_name)} asks:${prompt ? ` ${clean(prompt)}` : ""}`;
  return `${prompt ? clean(prompt) : "kay needs some details."}\n${MODEL_FORM_NOTE}`;
}

/** Formats the label of a field, and the values it accepts. */
export function formatFieldLabel({ label, required, description, options, id }: InputField): string {
  const choices = options ? ` [${options.map((option) => toLine(option.label)).join(" | ")}]` : "";
  const reason = description ? `: ${toLine(description)}` : "";
  return `${toLine(label || id)}${required ? " (required)" : ""}${choices}${reason}`;
}

/** Formats which services must be connected, and why. */
export function formatAuth({ integrations, connected, reason }: AuthNeeded): string {
  const missing = listMissingServices({ integrations, connected }).map(toLine);
  return `Connect ${missing.join(", ")} to continue${reason ? ` (${toLine(reason).replace(/\.$/, "")})` : ""}.`;
}

/** Lists the services that are not connected yet, without duplicates. */
export function listMissingServices({
  integrations,
  connected,
}: Pick<AuthNeeded, "integrations" | "connected">): string[] {
  return [...new Set(integrations)].filter((service) => !connected.includes(service));
}

/** Formats how a card ended and who answered: "approved for this session by kay on desk". */
export function formatEnd(end: Partial<CardEnd>, type: CardItem["type"]): string {
  const words = (end.action === "deny" && type === "form" ? "declined" : ENDS[end.action ?? "cancel"]) ?? "answered";
  const scope = end.scope && end.scope !== "once" ? SCOPES[end.scope] : "";
  const edited = end.edited ? " with changes" : "";
  const reason = end.reason ? ` (${toLine(end.reason)})` : "";
  return `${words}${scope ?? ""}${edited}${end.client ? ` by ${toLine(end.client)}` : ""}${reason}`;
}

/** Formats the end of a canceled request, with its reason unless that only repeats it. `client` is this terminal. */
export function formatCancellation(text: string, client?: string): string {
  const reason = nameUser(clean(text).trim(), client);
  return /^(?:[a-z_]*|The user cancell?ed it\.)$/i.test(reason) ? "canceled" : `canceled: ${reason}`;
}

/** Replaces the name of this terminal at the start of a reason: "You declined to connect jira." */
function nameUser(reason: string, client: string | undefined): string {
  return client !== undefined && reason.startsWith(`${client} `) ? `You${reason.slice(client.length)}` : reason;
}

/** Cleans untrusted text and puts it on one line. */
export function toLine(text: string): string {
  return clean(text, { lines: false });
}

/** Formats a status of the protocol: `awaiting approval`, `canceled`. */
export function formatStatus(status: string | undefined): string {
  return (status ?? "").replaceAll("_", " ").replace("cancelled", "canceled");
}

const ENDS: Record<string, string> = {
  approve: "approved",
  deny: "denied",
  submit: "submitted",
  cancel: "canceled",
  expire: "expired",
  connected: "connected",
};

const SCOPES: Record<string, string> = { session: " for this session", always: " (always)" };

/** Formats the remaining time in minutes and seconds: `4:58`. From two hours on, whole hours are enough: `24 h`. */
export function formatTimeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds >= 7_200) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Formats a message of the user, with the files below the text: `[screenshot.png, 120 kB]`. */
export function formatMessage({ text, attachments = [] }: Pick<MessageItem, "text" | "attachments">): string {
  return [clean(text).trim(), attachments.map(formatAttachment).join(" ")].filter(Boolean).join("\n");
}
