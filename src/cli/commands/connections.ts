import { clean } from "#protocol/clean";
import { suggestName } from "#protocol/closest-name";
import type { ConnectionsResponse } from "#protocol/connections";
import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import { formatAccount, formatSite, saveAccountLabels } from "../backend/account-labels.ts";
import { listKnownConnections, openIfSignedIn } from "../backend/known-services.ts";
import { Command, EXIT, type ExitCode } from "../command.ts";
import type { Kay } from "../kay.ts";

type Options = { check?: string };

/** Creates `kay connections`, which lists each service with its state, account and site. */
export function createConnectionsCommand(kay: Kay): Command {
  return new Command("connections")
    .alias("status")
    .description("List services and connected accounts")
    .option("--check <service>", "Check one service: exit 0 if connected, 4 if not")
    .action(async (options: Options) => {
      const answer = await loadConnections(kay, options);
      if (options.check !== undefined) return check(kay, answer, options.check);
      if (kay.flags.json) return kay.out.writeJson(answer);
      await kay.out.writeTable(CONNECTION_COLUMNS, toConnectionRows(answer));
      const lost = listLostServices(answer)
        .map(([service]) => quoteShellWord(service))
        .join(" ");
      if (lost) kay.out.writeProgress(`Run \`kay connect ${lost}\` to connect again.`);
    });
}

/**
 * Loads the connections. Before the first sign-in, lists the built-in services, so that a newcomer sees what can be
 * connected.
 */
async function loadConnections(kay: Kay, { check }: Options): Promise<ConnectionsResponse> {
  const link = check === undefined ? await openIfSignedIn(kay) : await kay.openBackend({ signedIn: true });
  if (!link) return { ...(await listKnownConnections(kay)), signed_in: false };
  const answer = await link.api.connections({ signal: kay.signal });
  await saveAccountLabels(link, answer.connections, { whole: true });
  return answer;
}

export const CONNECTION_COLUMNS = ["SERVICE", "STATE", "ACCOUNT", "SITE"];

/**
 * Formats the connections as rows of {@link CONNECTION_COLUMNS}; the account column holds the reason if one is lost.
 */
export function toConnectionRows({ connections }: ConnectionsResponse): string[][] {
  return Object.entries(connections).map(([service, connection]) => [
    clean(service, { lines: false }),
    connection.connected ? "connected" : "not connected",
    connection.connected ? formatAccount(connection) : clean(connection.reason ?? "", { lines: false }),
    connection.connected ? formatSite(connection) : "",
  ]);
}

/** Lists the services whose connection ended or can no longer be used, with the reasons. */
export function listLostServices({ connections }: ConnectionsResponse): [service: string, reason: string][] {
  return Object.entries(connections).flatMap(([service, { connected, reason }]): [string, string][] =>
    connected || !reason ? [] : [[clean(service, { lines: false }), reason]],
  );
}

function check(kay: Kay, { connections }: ConnectionsResponse, service: string): ExitCode {
  const connection = Object.hasOwn(connections, service) ? connections[service] : undefined;
  if (!connection) throw unknownServiceProblem(service, Object.keys(connections));
  if (kay.flags.json) kay.out.writeJson({ service, ...connection });
  return connection.connected ? EXIT.ok : EXIT.auth;
}

/** Returns the error for a service that the backend does not know, worded like the backend's. */
export function unknownServiceProblem(input: string, names: string[]): Problem {
  const name = JSON.stringify(clean(input, { lines: false }));
  const guess = suggestName(input, names, (text) => clean(text, { lines: false }));
  const list = names.map((text) => clean(text, { lines: false })).join(", ");
  return new Problem("UNKNOWN_SERVICE", `Unknown service ${name}.${guess && ` ${guess}`} The services are ${list}.`);
}
