import { KNOWN_SERVICES, type KnownService } from "#protocol/known-services";
import type { ServiceView } from "#protocol/tools";
import { toLine } from "#ui/text/words";
import { formatAccount, formatSite } from "../../backend/account-labels.ts";
import { listKnownServices, loadServices, openIfSignedIn } from "../../backend/known-services.ts";
import type { Kay } from "../../kay.ts";
import { unknownServiceProblem } from "../connections.ts";

/** Runs `kay services`: prints one row per service. */
export async function listServices(kay: Kay): Promise<void> {
  const services = await loadServices(kay, await openIfSignedIn(kay));
  if (kay.flags.json) return kay.out.writeJson({ services });
  const rows = services.map((service) => [
    toLine(service.name),
    getState(service),
    service.mcp ? "MCP" : (service.target ?? ""),
    service.connected ? formatOwner(service) : toLine(service.reason ?? ""),
    service.connected ? formatSite(service) || toLine(service.mcp?.command ?? "") : "",
  ]);
  await kay.out.writeTable(["SERVICE", "STATE", "TARGET", "ACCOUNT", "SITE"], rows);
  if (services.every(({ connected }) => !connected)) kay.out.writeProgress("Connect one with `kay connect <service>`.");
}

/** Runs `kay services show <service>`. @throws Problem UNKNOWN_SERVICE */
export async function showService(kay: Kay, name: string): Promise<void> {
  const services = await loadServices(kay, await openIfSignedIn(kay));
  const service = services.find((service) => service.name === name.toLowerCase());
  if (!service)
    throw unknownServiceProblem(
      name,
      services.map((service) => service.name),
    );
  if (kay.flags.json) return kay.out.writeJson(service);
  const rows = getRows(service).flatMap(([field, value]) => (value === "" ? [] : [[field, toLine(value)]]));
  // Scopes and addresses are for copying, so they are never cut.
  if (!kay.terminal.stdout.isTerminal) await kay.out.writeTable([], rows);
  else
    for (const [field = "", value] of rows)
      kay.out.writeLine(`${kay.out.paint("dim", field.padEnd(WIDEST))}  ${value}`);
  for (const change of service.mcp?.changes ?? []) kay.out.warn(toLine(change));
  if (service.mcp && service.mcp.changes.length > 0)
    kay.out.writeProgress(`Review and approve the changes with \`kay services approve ${toLine(service.name)}\`.`);
  if (service.state === "not_configured")
    kay.out.writeProgress("The administrator of the backend must configure an OAuth client first.");
  else if (!service.connected) kay.out.writeProgress(`Connect it with \`kay connect ${toLine(service.name)}\`.`);
}

function getRows(service: ServiceView): [string, string][] {
  const { scopes, client } = service;
  return [
    ["service", service.name],
    ["title", service.title ?? ""],
    ["state", getState(service)],
    ["target", service.target ?? ""],
    ["described", service.described ? (service.mcp ? "MCP server, added by you" : "by you") : ""],
    [service.mcp?.command === undefined ? "address" : "command", service.base_url ?? ""],
    ["given", service.mcp?.env?.join(" ") ?? ""],
    ["sign-in", service.sign_in ?? ""],
    ["account", service.connected ? formatOwner(service) : ""],
    ["site", service.connected ? formatSite(service) : ""],
    ["reason", service.reason ?? ""],
    ["scopes requested", scopes?.wanted.join(" ") ?? ""],
    ["scopes granted", scopes?.granted.join(" ") ?? ""],
    ["tools", service.tools?.join(" ") ?? ""],
    ["own client", client ? (client.configured ? "configured" : "none") : ""],
    ["its settings", client?.settings.join(" ") ?? ""],
    ["its variables", client?.variables.join(" ") ?? ""],
    ["redirect URI", client?.redirect_uri ?? ""],
  ];
}

const WIDEST = "scopes granted".length;

function getState({ state, mcp }: ServiceView): string {
  return state === "connected" && mcp && mcp.changes.length > 0 ? "tools changed" : STATES[state];
}

/** A service without a sign-in has no account. */
function formatOwner(service: ServiceView): string {
  return service.sign_in === "none" ? "" : formatAccount(service);
}

const STATES = { connected: "connected", not_connected: "not connected", not_configured: "not configured" };

/**
 * Runs `kay services list --known`: lists the MCP servers that `kay connect` knows by name. Needs no backend and no
 * sign-in.
 */
export async function listKnown(kay: Kay): Promise<void> {
  if (kay.flags.json) return kay.out.writeJson({ known: KNOWN_SERVICES });
  const builtIn = new Set((await listKnownServices(kay)).map(({ name }) => name));
  const rows = KNOWN_SERVICES.map((server) => [
    server.name,
    server.purpose,
    builtIn.has(server.name) ? "built in" : SIGN_INS[server.client],
    server.url,
  ]);
  await kay.out.writeTable(["SERVICE", "FOR", "SIGN-IN", "ADDRESS"], rows);
  kay.out.writeProgress("Connect one with `kay connect <service>`. A built-in service keeps its name.");
}

const SIGN_INS: Record<KnownService["client"], string> = {
  automatic: "consent",
  "client-id": "consent, with your own client",
  key: "key",
  none: "none",
};
