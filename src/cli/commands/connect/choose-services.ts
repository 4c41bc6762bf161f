import { Problem } from "#protocol/errors";
import { isAccountLabel } from "#protocol/tool-names";
import type { Choice } from "#ui/picker/picker";
import { toLine } from "#ui/text/words";
import { openIfSignedIn } from "../../backend/known-services.ts";
import type { Kay } from "../../kay.ts";
import { canPick, pickSome } from "../../prompt/pick.ts";
import { type ConnectableService, listConnectableServices } from "./known.ts";

/**
 * Lets the user choose the services to connect.
 *
 * @throws Problem USAGE that names every service, where kay cannot prompt; CANCELLED when nothing is chosen
 */
export async function chooseServices(kay: Kay): Promise<string[]> {
  if (!canPick(kay)) throw await missingServiceProblem(kay);
  const services = await listConnectableServices(kay, await openIfSignedIn(kay, true));
  const picks = await pickSome(kay, "Connect which service?", services.map(toServiceChoice));
  if (picks === null) throw new Problem("CANCELLED", "Nothing was connected.");
  return picks;
}

/** Converts a service to a choice: its name, and its title, its kind and whether it is connected. */
function toServiceChoice({ name, title, known, connected }: ConnectableService): Choice {
  const note = [title === name ? "" : title, known ? "MCP server" : "", connected ? "connected" : ""];
  return { value: name, label: name, note: note.filter(Boolean).join(" · ") };
}

/** Builds the error for a missing name, with every service as the hint. */
export async function missingServiceProblem(kay: Kay): Promise<Problem> {
  const all = await listConnectableServices(kay, null);
  const names = all.flatMap(({ name, known }) => (known ? [] : [toLine(name)])).join(", ");
  const count = all.filter(({ known }) => known).length;
  return new Problem("USAGE", "Specify a service to connect.", {
    hint: `For example: kay connect jira. The services are ${names}, and ${count} MCP servers: \`kay services list --known\`.`,
  });
}

/** Returns the name of one more account of a service: `jira@work`. @throws Problem USAGE */
export function toAccountName(services: string[], label: string): string {
  const [service = "", ...rest] = services;
  if (rest.length > 0) throw new Problem("USAGE", "--as accepts only one service.");
  if (isAccountLabel(label)) return `${service}@${label}`;
  throw new Problem("USAGE", `${JSON.stringify(label.slice(0, 40))} is not a valid account name.`, {
    hint: "Use up to 20 lowercase letters, digits and hyphens, for example --as work.",
  });
}
