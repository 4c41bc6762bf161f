import { Command } from "commander";
import { clean } from "#protocol/clean";
import { findClosestName } from "#protocol/closest-name";
import type { ConnectionsResponse } from "#protocol/connections";
import { ERRORS, Problem } from "#protocol/errors";
import { formatAccount, formatSite, saveAccountLabels } from "../backend/account-labels.ts";
import type { Kay } from "../kay.ts";

type Options = { check?: string };

/** `kay connections`: each service, its state, account and site. */
export function createConnectionsCommand(kay: Kay): Command {
  return new Command("connections")
    .alias("status")
    .description("List services and connected accounts")
    .option("--check <service>", "Check one service: exit 0 if connected, 4 if not")
    .action(async (options: Options) => {
      const link = await kay.openBackend({ signedIn: true });
      const answer = await link.api.connections({ signal: kay.signal });
      await saveAccountLabels(link, answer.connections, { whole: true });
      if (options.check !== undefined) return check(kay, answer, options.check);
      if (kay.flags.json) return kay.out.writeJson(answer);
      await kay.out.writeTable(CONNECTION_COLUMNS, toConnectionRows(answer));
    });
}

export const CONNECTION_COLUMNS = ["SERVICE", "STATE", "ACCOUNT", "SITE"];

/** The rows of the table: service, state, account (or why not), site. */
export function toConnectionRows({ connections }: ConnectionsResponse): string[][] {
  return Object.entries(connections).map(([service, connection]) => [
    clean(service, { lines: false }),
    connection.connected ? "connected" : "not connected",
    connection.connected ? formatAccount(connection) : clean(connection.reason ?? "", { lines: false }),
    connection.connected ? formatSite(connection) : "",
  ]);
}

function check(kay: Kay, { connections }: ConnectionsResponse, service: string): void {
  const connection = Object.hasOwn(connections, service) ? connections[service] : undefined;
  if (!connection) throw unknownServiceProblem(service, Object.keys(connections));
  kay.exit = connection.connected ? 0 : ERRORS.NOT_CONNECTED.exit;
  if (kay.flags.json) kay.out.writeJson({ service, ...connection });
}

/** The error for a service that the backend does not name, in the backend's own words: the list, and the nearest name. */
export function unknownServiceProblem(typed: string, known: string[]): Problem {
  const close = findClosestName(typed.toLowerCase(), known);
  const name = JSON.stringify(clean(typed, { lines: false }));
  const guess = close ? ` Did you mean ${clean(close, { lines: false })}?` : "";
  const list = known.map((each) => clean(each, { lines: false })).join(", ");
  return new Problem("UNKNOWN_SERVICE", `There is no service ${name}.${guess} The services are ${list}.`);
}
