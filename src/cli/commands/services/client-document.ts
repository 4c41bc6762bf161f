import { parseDocumentUrl } from "#client/settings/table";
import { Problem } from "#protocol/errors";
import type { Kay } from "../../kay.ts";

/** `kay services client-document`: the JSON to host, so that authorization servers know kay by its URL. */
export async function printClientDocument(kay: Kay, typed: string | undefined): Promise<void> {
  const { value } = (await kay.settings()).get("client-document");
  const url = typed === undefined ? value : parseDocumentUrl(typed);
  const { api, baseUrl } = await kay.openBackend();
  const document = await api.clientDocument({ signal: kay.signal });
  if (!document) throw new Problem("NOT_FOUND", "This backend has no client document.", { hint: "" });
  if (url === undefined && !baseUrl.startsWith("https:"))
    throw new Problem("USAGE", "Specify the URL where you host the document.", {
      hint: "Such as `kay services client-document https://example.com/kay.json`.",
    });
  kay.out.writeJson({ ...document, ...(url === undefined ? {} : { client_id: url }) });
}
