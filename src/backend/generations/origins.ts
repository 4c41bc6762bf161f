import type { ModelMessage } from "ai";
import type { PreviewField } from "#protocol/events";

/**
 * Traces where each argument of a call came from, so that an approval can warn of text from a service that the user
 * never wrote (prompt injection). Words of the user belong to the user. Words found in a result and not in the user's
 * messages belong to the service. All others are the model's.
 */
export function traceOrigins(input: Record<string, unknown>, messages: ModelMessage[]): PreviewField[] {
  const person = getText(messages, (role, tool) => role === "user" || tool === "ask_user");
  const service = getText(messages, (role, tool) => role === "tool" && tool !== "ask_user");
  return Object.entries(input).map(([name, value]) => ({ name, value, origin: getOrigin(value, person, service) }));
}

function getOrigin(value: unknown, person: string, service: string): "person" | "service" | "model" {
  const words = getWords(value);
  if (words.length === 0 || words.every((word) => person.includes(word))) return "person";
  return words.some((word) => service.includes(word) && !person.includes(word)) ? "service" : "model";
}

/** Words that say something: names, addresses, ids, and whatever is long enough not to be chance. */
function getWords(value: unknown): string[] {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}._@:/-]*/gu) ?? [];
  return [...new Set(words.map((word) => word.replace(/[._:/-]+$/, "")))].filter((word) => word.length >= 4);
}

function getText(messages: ModelMessage[], wanted: (role: ModelMessage["role"], tool?: string) => boolean): string {
  const texts = messages.flatMap(({ role, content }) => {
    if (typeof content === "string") return wanted(role) ? [content] : [];
    return content.flatMap((part) =>
      wanted(role, "toolName" in part ? part.toolName : undefined) ? strings(part) : [],
    );
  });
  return texts.join("\n").toLowerCase();
}

function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(strings);
}
