import { Problem } from "#protocol/errors";
import type { ToolView } from "#protocol/tools";
import type { BackendHandle } from "../../backend/handle.ts";
import { isSignedOut } from "../../backend/known-services.ts";
import type { Kay } from "../../kay.ts";

/**
 * Returns the backend, or null without a sign-in if its tools are those of this kay: listing them needs no sign-in and
 * starts no backend.
 */
export async function findToolBackend(kay: Kay): Promise<BackendHandle | null> {
  try {
    return await kay.openBackend({ signedIn: true });
  } catch (error) {
    if (isSignedOut(error) && (await kay.resolveTarget()).embedded) return null;
    throw error;
  }
}

/** Whether an error means an unknown tool. */
export function isUnknownTool(error: unknown): error is Problem {
  return error instanceof Problem && error.code === "NOT_FOUND";
}

/** Lists every tool of the backend, or the built-in ones. @throws Problem NOT_FOUND if the backend has none */
export async function loadTools(kay: Kay, service?: string): Promise<ToolView[]> {
  const link = await findToolBackend(kay);
  if (!link) {
    const tools = (await kay.localTools()).list();
    return service === undefined ? tools : filterByService(tools, service);
  }
  const answer = await link.api.tools({ signal: kay.signal, ...(service === undefined ? {} : { service }) });
  if (answer) return answer.tools;
  throw new Problem("NOT_FOUND", "This backend cannot run single tools.", {
    hint: "Use `kay ask`.",
  });
}

function filterByService(tools: ToolView[], service: string): ToolView[] {
  const siblings = tools.filter((tool) => tool.service === service.toLowerCase());
  if (siblings.length > 0) return siblings;
  const names = [...new Set(tools.map((tool) => tool.service))].join(", ");
  throw new Problem(
    "UNKNOWN_SERVICE",
    `No tools belong to ${JSON.stringify(service)}. The services with tools are ${names}.`,
  );
}
