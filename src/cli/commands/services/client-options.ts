import type { McpRequest } from "#protocol/custom-services";
import { Problem } from "#protocol/errors";
import { getBaseName } from "#protocol/tool-names";
import type { Kay } from "../../kay.ts";
import { readTypedValue } from "../../prompt/value.ts";

/** An OAuth client that the user registered for an MCP server. Its secret is never on the command line. */
export type ClientOptions = { clientId?: string; clientSecret?: boolean };

/**
 * Reads the client of an MCP server: its secret from stdin with `--client-secret`, else from the variable that
 * `kay services show` names.
 *
 * @throws Problem USAGE for a secret without a client ID, or none on stdin
 */
export async function readClientOptions(
  kay: Kay,
  name: string | undefined,
  { clientId, clientSecret = false }: ClientOptions,
): Promise<Pick<McpRequest, "client_id" | "client_secret">> {
  if (clientId === undefined && clientSecret) throw new Problem("USAGE", "--client-secret requires --client-id.");
  if (clientId === undefined) return {};
  const variable =
    name === undefined ? undefined : `KAY_CLIENT_${getBaseName(name).replaceAll("-", "_").toUpperCase()}_SECRET`;
  const secret = clientSecret
    ? await readTypedValue(kay, { label: "Client secret", patient: true, hint: "Pass the client secret on stdin." })
    : variable && kay.env[variable];
  return { client_id: clientId, ...(secret ? { client_secret: secret.trim() } : {}) };
}
