import { parseDocumentUrl } from "#client/settings/table";
import type { McpRequest } from "#protocol/custom-services";
import { Problem } from "#protocol/errors";
import { getBaseName } from "#protocol/tool-names";
import type { Kay } from "../../kay.ts";
import { readTypedValue } from "../../terminal/piped-input.ts";

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

/** Runs `kay services client-document`: prints the JSON to host, so that authorization servers know kay by its URL. */
export async function printClientDocument(kay: Kay, argument: string | undefined): Promise<void> {
  const { value } = (await kay.settings()).get("client-document");
  const url = argument === undefined ? value : parseDocumentUrl(argument);
  const { api, baseUrl } = await kay.openBackend();
  const document = await api.clientDocument({ signal: kay.signal });
  if (!document) throw new Problem("NOT_FOUND", "This backend has no client document.", { hint: "" });
  if (url === undefined && !baseUrl.startsWith("https:"))
    throw new Problem("USAGE", "Specify the URL where you host the document.", {
      hint: "For example: `kay services client-document https://example.com/kay.json`.",
    });
  kay.out.writeJson({ ...document, ...(url === undefined ? {} : { client_id: url }) });
}
