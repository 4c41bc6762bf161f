import { KNOWN_SERVICES, type KnownService } from "#protocol/known-services";
import { listKnownServices } from "../../backend/known-services.ts";
import type { Kay } from "../../kay.ts";

/** `kay services list --known`: the MCP servers that `kay connect` takes by name. Needs no backend and no sign-in. */
export async function listKnown(kay: Kay): Promise<void> {
  if (kay.flags.json) return kay.out.writeJson({ known: KNOWN_SERVICES });
  const builtIn = new Set((await listKnownServices(kay)).map(({ name }) => name));
  const rows = KNOWN_SERVICES.map((known) => [
    known.name,
    known.purpose,
    builtIn.has(known.name) ? "built in" : SIGN_INS[known.client],
    known.url,
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
