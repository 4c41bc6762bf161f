import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../../ports.ts";
import type { DiscoveredAuth } from "./discover.ts";
import { createFetchPolicy, readDocument } from "./fetch-policy.ts";
import { buildClientMetadata } from "./register.ts";

/** Path of the client metadata document, for authorization servers that accept its URL as a client ID. */
export const CLIENT_METADATA_PATH = "/auth/client";

type DocumentPorts = Pick<BackendPorts, "publicUrl"> & Partial<Pick<BackendPorts, "clientDocument">>;

/** Builds the document (OAuth Client ID Metadata Document, section 4). It must be served at its own `client_id`. */
export function buildClientDocument(ports: DocumentPorts, redirectUri: string): Record<string, unknown> {
  const client_id = ports.clientDocument ?? `${ports.publicUrl}${CLIENT_METADATA_PATH}`;
  return { client_id, ...buildClientMetadata(redirectUri, "none") };
}

/**
 * Returns the address of the document that an authorization server can read: the one that the operator hosts, or the
 * backend's own if it is on the network. Undefined if the server takes no documents, or there is none.
 */
export function getClientDocument(ports: DocumentPorts, { takesDocuments }: DiscoveredAuth): string | undefined {
  if (!takesDocuments) return undefined;
  if (ports.clientDocument !== undefined) return ports.clientDocument;
  return ports.publicUrl.startsWith("https:") ? `${ports.publicUrl}${CLIENT_METADATA_PATH}` : undefined;
}

/**
 * Checks the hosted document before a browser is sent anywhere: an authorization server would show its error to the user
 * only, and kay would hear nothing.
 *
 * @throws Problem SERVICE_FAILED when it is not there, or is about another client or redirect address
 */
export async function checkClientDocument(
  ports: Pick<BackendPorts, "fetch"> & Partial<Pick<BackendPorts, "guarded" | "localSecret">>,
  address: string,
  redirectUri: string,
): Promise<void> {
  const document = await readDocument(
    await createFetchPolicy(ports, address),
    new URL(address),
    "your client document",
  );
  const redirects = Array.isArray(document?.redirect_uris) ? document.redirect_uris : [];
  const fault =
    document === undefined
      ? "is not there"
      : document.client_id !== address
        ? "names another client_id"
        : redirects.includes(redirectUri)
          ? undefined
          : `does not list the redirect URL ${redirectUri}`;
  if (fault === undefined) return;
  throw new Problem("SERVICE_FAILED", `Your client document ${address} ${fault}.`, {
    hint: "Host what `kay services client-document` prints, or unset it with `kay config unset client-document`.",
  });
}
