import { clean } from "./clean.ts";
import { foldWhitespace, formatNewDestinations, formatTarget } from "./input-fields.ts";
import type { InteractionRequest } from "./interactions.ts";

/** Texts of an approval, for terminals and pages. Untrusted text is cleaned here and never shortened. */

/** Formats which tool is to run or ran, what it may change, and as which account. */
export function formatRequest(
  { tool_name, preview }: Pick<InteractionRequest, "tool_name" | "preview">,
  verb = preview?.result ? "ran" : "wants to run",
): string {
  const access = preview?.access ? `, which ${ACCESS_TEXTS[preview.access]}` : "";
  const account = preview?.account ? `${access ? "," : ""} as ${cleanLine(preview.account)}` : "";
  return `kay ${verb} ${cleanLine(tool_name)}${access}${account}.`;
}

/** Returns the question of a request in a few words. It is untrusted text. */
export function getQuestion(request: Pick<InteractionRequest, "prompt" | "preview" | "tool_name"> | undefined): string {
  return request?.preview?.summary ?? request?.prompt ?? request?.tool_name ?? "";
}

/** Lists the summaries of the effects that a call would have. */
export function listSummaries({ prompt, preview }: Pick<InteractionRequest, "prompt" | "preview">): string[] {
  const texts = [prompt, preview?.summary].filter((text) => text !== undefined && text.trim() !== "");
  return [...new Set([...texts, ...formatTarget(preview ?? {})])].map((text) =>
    foldWhitespace(text ?? "").replace(/^/gm, "  "),
  );
}

/** Lists what a call did, if it has already run. */
export function listRanTexts({ preview }: InteractionRequest): string[] {
  if (!preview?.result) return [];
  return [
    `This has already run. Approve to let kay use the result:\n${foldWhitespace(preview.result).replace(/^/gm, "  ")}`,
  ];
}

/** Lists which destinations are new, and why a call asks although an approval or a policy covers it. */
export function listReasons({ preview }: Pick<InteractionRequest, "preview">): string[] {
  return [
    ...formatNewDestinations(preview ?? {}).map((line) => `  ${line}`),
    ...(preview?.why ? [`  kay asks because ${lowerFirstLetter(cleanLine(preview.why))}`] : []),
  ];
}

function lowerFirstLetter(sentence: string): string {
  return sentence.startsWith("--") ? sentence : `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

/** The words for the access of a call. */
export const ACCESS_TEXTS = { read: "reads", write: "writes", destructive: "cannot be undone" };

/** Cleans untrusted text and puts it on one line. */
function cleanLine(text: string): string {
  return clean(text, { lines: false });
}
