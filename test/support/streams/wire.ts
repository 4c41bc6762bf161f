import type { ModelSettings } from "#agent/models/decision";

/**
 * A provider's streams in the shape that it sends them, as Server-Sent Events. Recorded from the providers'
 * documentation and the fixtures of their SDKs; ids and words are made up. `null` if a provider does not have it.
 */
export type RecordedWire = {
  label: string;
  settings: ModelSettings;
  /** `It is open.`, in pieces. */
  text: string;
  /** The thought `Let me look.`, then `It is open.` */
  reasoning: string | null;
  /** Calls of jira.show for KAY-3 and KAY-4 in one message. */
  calls: string;
  /** The model or its provider refuses. */
  refusal: string;
  /** `It is`, cut at the output limit. */
  limit: string;
  /** `It is`, then an error in the stream, whose sentence is `fault`. */
  failure: string;
  fault: string;
};

/** Formats objects as events without names, as OpenAI's chat API and Gemini send them. */
export function toEvents(...parts: object[]): string {
  return parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join("");
}

/** Formats objects as events that have their type as name, as Anthropic and OpenAI's responses API send them. */
export function toNamedEvents(...parts: ({ type: string } & Record<string, unknown>)[]): string {
  return parts.map((part) => `event: ${part.type}\ndata: ${JSON.stringify(part)}\n\n`).join("");
}

/** The end of a stream of OpenAI's chat API. */
export const DONE = "data: [DONE]\n\n";
