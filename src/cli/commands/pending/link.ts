import { isLoopbackHost } from "#net/addresses";
import { Problem } from "#protocol/errors";
import type { BackendHandle } from "../../backend/handle.ts";
import type { Kay } from "../../kay.ts";

/**
 * Prints a link that signs a device in to answer requests, such as a phone.
 *
 * @param id the request that the page shows first
 * @throws Problem NOT_FOUND when the backend has no such page, INTERACTION_NOT_FOUND, INTERACTION_CLOSED
 */
export async function showAnswerLink(kay: Kay, { api }: BackendHandle, id?: string): Promise<void> {
  const features = (await api.capabilities())?.features ?? [];
  if (!features.includes("answer_page"))
    throw new Problem("NOT_FOUND", "This backend has no page to answer on.", { hint: "Use `kay answer <id>`." });
  const link = await api.createAnswerLink(id);
  if (kay.flags.json) return kay.out.writeJson(link);
  kay.out.writeLine(link.url);
  kay.out.writeProgress("Open it within ten minutes on the device that should answer. It works once.");
  if (isLoopbackHost(new URL(link.url).hostname))
    kay.out.writeProgress("This backend listens on this machine only, so the link opens only here.");
}
