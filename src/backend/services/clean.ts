import { clean } from "#protocol/clean";

/** Text of a service, safe to show: what `#protocol/clean` does, with line breaks kept. */
export function cleanText(text: string): string {
  return clean(text);
}
