import type { StreamPart } from "./events.ts";

/** Whether a part ends the generation. A stream without such a part broke off. */
export function isGenerationEnd(part: StreamPart): boolean {
  return part.type === "finish" || part.type === "abort" || part.type === "error";
}
