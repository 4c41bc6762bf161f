import type { ConnectionsResponse } from "#protocol/connections";
import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import { formatAccount } from "../../backend/account-labels.ts";
import { isSignedOut, listKnownConnections } from "../../backend/known-services.ts";
import { toAccountName } from "../../commands/connect/choose-services.ts";
import { CONNECTION_COLUMNS, listLostServices, toConnectionRows } from "../../commands/connections.ts";
import { confirmAndDisconnect } from "../../commands/disconnect.ts";
import { loadTools } from "../../commands/tools/backend.ts";
import { TOOL_COLUMNS, toToolRow } from "../../commands/tools/show.ts";
import type { SlashContext } from "./command.ts";
import { formatRows } from "./command.ts";

/** Handles `/connect SERVICE…`, `/connect jira --site NAME`, and `/connect jira --as NAME`. */
export async function runConnect(context: SlashContext, argument: string): Promise<void> {
  if (context.link.usesEnvironmentToken)
    throw new Problem("USAGE", "Services cannot be connected while KAY_TOKEN is set.", {
      hint: "Quit, unset KAY_TOKEN, and start kay again.",
    });
  const [site = "", quoted, unquoted] = SITE.exec(argument) ?? [];
  const [as = "", label] = AS.exec(argument.replace(site, " ")) ?? [];
  const rest = argument.replace(site, " ").replace(as, " ");
  const [option] = /--(?:site|as)\b/.exec(rest) ?? [];
  if (option) throw new Problem("USAGE", `Specify a name for ${option}: /connect jira ${option} NAME.`);
  const services = await parseServices(context, rest, "connect");
  await context.connect(label === undefined ? services : [toAccountName(services, label)], quoted ?? unquoted);
}

const SITE = /(?:^|\s)--site(?:\s+|=)(?:"([^"]+)"|(\S+))/;
const AS = /(?:^|\s)--as(?:\s+|=)(\S+)/;

/** Handles `/disconnect SERVICE…`. */
export async function runDisconnect(context: SlashContext, argument: string): Promise<void> {
  const { kay, link, ask, say } = context;
  const services = await parseServices(context, argument, "disconnect");
  const results = await confirmAndDisconnect(kay, link, services, ask);
  const notes = results.map(({ answer }) => answer.revocation?.message ?? "").filter((note) => note !== "");
  say([...results.map(({ sentence }) => sentence), ...notes.map(toLine)].join("\n"));
}

/** Handles `/connections`. */
export async function runConnections(context: SlashContext): Promise<void> {
  const answer = await loadConnections(context);
  const lost = listLostServices(answer)
    .map(([service]) => service)
    .join(" ");
  const rows = formatRows(context, CONNECTION_COLUMNS, toConnectionRows(answer));
  context.say(lost ? `${rows}\n\nUse /connect ${lost} to connect again.` : rows);
}

/** Loads the connections; before the first sign-in, the built-in services. */
async function loadConnections({ kay, link }: SlashContext): Promise<ConnectionsResponse> {
  try {
    return await link.api.connections({ signal: kay.signal });
  } catch (error) {
    if (isSignedOut(error)) return listKnownConnections(kay);
    throw error;
  }
}

/** Handles `/tools [SERVICE]`. */
export async function runTools(context: SlashContext, argument: string): Promise<void> {
  const tools = await loadTools(context.kay, argument === "" ? undefined : argument);
  context.say(formatRows(context, TOOL_COLUMNS, tools.map(toToolRow)));
}

/** Parses the names of services. @throws Problem USAGE without a name; the hint lists the possible services */
async function parseServices(
  context: SlashContext,
  argument: string,
  verb: "connect" | "disconnect",
): Promise<string[]> {
  const services = argument.split(/[\s,]+/).filter((word) => word !== "");
  if (services.length > 0) return [...new Set(services)];
  const { connections } = await loadConnections(context);
  if (context.pick) return pickServices(context, connections, verb);
  const fits = Object.keys(connections).filter((name) => verb === "connect" || connections[name]?.connected);
  const hint =
    fits.length === 0
      ? "No service is connected."
      : `For example /${verb} ${toLine(fits[0] ?? "")}. ${verb === "connect" ? "The services are" : "Connected:"} ${fits.map(toLine).join(", ")}.`;
  throw new Problem("USAGE", `Specify a service to ${verb}.`, { hint });
}

/** Lets the user choose services. @throws Problem CANCELLED when nothing is chosen */
async function pickServices(
  { pick }: SlashContext,
  connections: ConnectionsResponse["connections"],
  verb: "connect" | "disconnect",
): Promise<string[]> {
  const fits = Object.entries(connections).filter(([, { connected }]) => verb === "connect" || connected);
  if (fits.length === 0) throw new Problem("USAGE", "No service is connected.", { hint: "" });
  const choices = fits.map(([name, connection]) => ({
    value: name,
    label: name,
    note: connection.connected ? formatAccount(connection) || "connected" : "",
  }));
  const picks = await pick?.(`${verb === "connect" ? "Connect" : "Disconnect"} which service?`, choices, true);
  if (picks) return picks;
  throw new Problem("CANCELLED", verb === "connect" ? "Nothing was connected." : "No service was disconnected.");
}
