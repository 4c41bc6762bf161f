import type { Receipt } from "#protocol/ask";
import { clean } from "#protocol/clean";
import type { AuthNeeded, InputField, InteractionRequest, Planned, PreviewField } from "#protocol/events";
import { folded } from "./folded.ts";
import type { CardEnd, CardItem } from "./view.ts";

/** Texts of cards for a plain terminal and for scripts. Whatever comes from elsewhere is cleaned here; nothing of it is left out. */

/** What a card asks, whole. */
export function cardText(card: CardItem): string {
  if (card.type === "auth") return authText(card.auth);
  return card.type === "approval" ? approvalText(card.request) : formText(card.request);
}

/** What would be done, in words and field by field as it would be sent. */
export function approvalText(request: InteractionRequest): string {
  const { preview, error } = request;
  const parts = [
    wantsText(request),
    ...(error ? [`✗ ${line(error)}`] : []),
    ...saidTexts(request),
    ...(preview?.fields ?? []).map(fieldText),
    ...ranTexts(request),
  ];
  return parts.join("\n");
}

/** Which tool is to run, what it may change, and as whom. */
export function wantsText(request: Pick<InteractionRequest, "tool_name" | "preview">, verb = "wants to run"): string {
  const { tool_name, preview } = request;
  const access = preview?.access ? `, which ${ACCESS[preview.access]}` : "";
  const account = preview?.account ? `${access ? "," : ""} as ${line(preview.account)}` : "";
  return `kay ${verb} ${line(tool_name)}${access}${account}.`;
}

/** What a dry run would have done, whole, and whether it would have asked first. */
export function plannedText({ tool: tool_name, preview, asks, why }: Planned): string {
  const parts = [
    wantsText({ tool_name, preview }, "would run"),
    ...saidTexts({ preview }),
    ...preview.fields.map(fieldText),
    `  ${asks ? "It would ask first" : "It would not ask"}: ${line(why)}`,
  ];
  return parts.join("\n");
}

/** The end of every dry run. */
export const NOTHING_SENT = "Nothing was sent: this was a dry run.";

/** What a receipt leaves open, and by what the write was allowed. */
export function receiptNotes({ effect, allowed_by, account }: Receipt): string[] {
  const doubt =
    effect === "planned" ? ["not sent"] : effect === "settled" ? [] : ["unknown whether it was done; check"];
  const as = account ? `, as ${line(account)}` : "";
  return [...doubt, ...(allowed_by ? [`allowed by --allow ${line(allowed_by)}${as}`] : [])];
}

/** What it would do, in words. */
export function saidTexts({ prompt, preview }: Pick<InteractionRequest, "prompt" | "preview">): string[] {
  const said = [prompt, preview?.summary].filter((text) => text !== undefined && text.trim() !== "");
  return [...new Set(said)].map((text) => folded(text ?? ""));
}

/** What it did, where it ran already. */
export function ranTexts({ preview }: InteractionRequest): string[] {
  if (!preview?.result) return [];
  return [`It ran already; a yes lets kay go on with what it brought:\n${folded(preview.result)}`];
}

/** A value in full, and where it came from if that is neither the person nor the model. */
export function fieldText({ name, value, origin }: PreviewField): string {
  const mark = origin === "service" ? " (came from a service's text, not from you)" : "";
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  const isShort = !/\n/.test(text) && text.length <= 60 && !/ {20}/.test(text);
  if (isShort) return `  ${line(name)}: ${line(text)}${mark}`;
  return `  ${line(name)}${mark}:\n${folded(text).replace(/^/gm, "  ")}`;
}

/** What a form asks for: who asks, why, and each field. */
export function formText(request: InteractionRequest): string {
  const { error, input_schema } = request;
  const parts = [
    asksText(request),
    ...(error ? [`✗ ${line(error)}`] : []),
    ...(input_schema?.fields ?? []).map((field) => `  ${fieldLine(field)}`),
  ];
  return parts.join("\n");
}

/** Who asks with a form, and why. */
export function asksText({ tool_name, prompt }: InteractionRequest): string {
  return `${line(tool_name)} asks:${prompt ? ` ${clean(prompt)}` : ""}`;
}

/** A field's label, and what it takes. */
export function fieldLine({ label, required, description, options, id }: InputField): string {
  const choices = options ? ` [${options.map((option) => line(option.label)).join(" | ")}]` : "";
  const why = description ? `: ${line(description)}` : "";
  return `${line(label || id)}${required ? " (required)" : ""}${choices}${why}`;
}

/** Which services have to be connected, and for what. */
export function authText({ integrations, connected, reason }: AuthNeeded): string {
  const missing = missingServices({ integrations, connected }).map(line);
  return `To go on, connect ${missing.join(", ")}${reason ? ` (${line(reason).replace(/\.$/, "")})` : ""}.`;
}

/** What of it is not connected yet, each once. */
export function missingServices({ integrations, connected }: Pick<AuthNeeded, "integrations" | "connected">): string[] {
  return [...new Set(integrations)].filter((each) => !connected.includes(each));
}

/** How a card ended, and by whom: "approved for this session by kay on desk". */
export function endText(end: Partial<CardEnd>, type: CardItem["type"]): string {
  const words = (end.action === "deny" && type === "form" ? "declined" : ENDS[end.action ?? "cancel"]) ?? "answered";
  const scope = end.scope && end.scope !== "once" ? SCOPES[end.scope] : "";
  const edited = end.edited ? " with changes" : "";
  const reason = end.reason ? ` (${line(end.reason)})` : "";
  return `${words}${scope ?? ""}${edited}${end.client ? ` by ${line(end.client)}` : ""}${reason}`;
}

/** Text of somebody else in one line. */
export function line(text: string): string {
  return clean(text, { lines: false });
}

/** What a call may change. */
export const ACCESS = { read: "reads", write: "writes", destructive: "cannot be undone" };

const ENDS: Record<string, string> = {
  approve: "approved",
  deny: "denied",
  submit: "filled in",
  cancel: "cancelled",
  expire: "expired",
  connected: "connected",
};

const SCOPES: Record<string, string> = { session: " for this session", always: " for always" };
