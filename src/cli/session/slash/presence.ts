import { Problem } from "#protocol/errors";
import { formatClientName, getClientState } from "#ui/session/presence";
import type { SlashContext } from "./command.ts";
import { formatRows } from "./command.ts";

/** Handles `/interactive`, `/interactive on` and `/interactive off`. */
export async function runInteractive(context: SlashContext, argument: string): Promise<void> {
  const { say, client } = context;
  if (argument === "") return say(client.interaction.enabled ? ANSWERS : READS);
  if (argument !== "on" && argument !== "off") throw new Problem("USAGE", "Use /interactive on or /interactive off.");
  await change(context, argument === "on");
}

/** Handles `/who`. */
export async function runWho(context: SlashContext): Promise<void> {
  const { link, session, client, say } = context;
  const id = session();
  const presence = id === undefined ? null : await link.api.clients(id);
  if (id !== undefined && presence === null)
    throw new Problem("NOT_FOUND", "This backend does not report who follows a conversation.", { hint: "" });
  const clients = presence?.clients ?? [];
  const isListed = clients.some(({ client_id }) => client_id === client.id);
  const all = isListed
    ? clients
    : [{ client_id: client.id, name: client.name, interaction: client.interaction }, ...clients];
  const rows = all.map((entry) => [
    formatClientName(entry),
    getClientState(entry),
    entry.client_id === client.id ? "this one" : "",
  ]);
  const hiddenCount = (presence?.total ?? 0) - clients.length;
  say(`${formatRows(context, ["WHO", "ASKED", ""], rows)}${hiddenCount > 0 ? `\n… and ${hiddenCount} more` : ""}`);
}

/** Reports to the backend before this client answers anything, and after it stops answering. */
async function change({ link, session, client, say, setInteractive }: SlashContext, enabled: boolean): Promise<void> {
  const previous = client.interaction;
  client.interaction = { ...previous, enabled };
  if (!enabled) await setInteractive(false);
  const id = session();
  try {
    if (id !== undefined)
      await link.api.setClient(id, client.id, { name: client.name, interaction: client.interaction });
  } catch (error) {
    // A backend without clients lets everyone answer.
    if (!(error instanceof Problem) || ![404, 405].includes(Number(error.details.http_status))) {
      if (enabled) client.interaction = previous;
      throw error;
    }
  }
  say(enabled ? ANSWERS : READS);
  if (enabled) await setInteractive(true);
}

const ANSWERS = "This terminal answers requests. Use /interactive off to only watch.";
const READS = "This terminal only watches; others answer requests. Use /interactive on to answer.";
