import type { BackendPorts } from "../../ports.ts";
import { deleteGrant, findGrant } from "../../store/grants.ts";
import { forgetAccount, lockInstallation } from "../../store/installations.ts";
import { revokeScriptTokensSince } from "../../store/script-tokens.ts";
import { isTicket } from "../../store/secrets.ts";
import { findState, undoState } from "../../store/states.ts";
import { revokeFamiliesSince } from "../../store/token-families.ts";
import { findService, listServices } from "../services/catalog.ts";
import { revokeGrant } from "../tokens/revoke.ts";
import { createStalePage } from "./callback.ts";
import type { Page } from "./page.ts";
import { hashState } from "./status.ts";

/**
 * Undoes a connection for someone who did not start it (`POST /auth/undo`, a button of the result page): disconnects the
 * service, takes its tokens back, and ends the sign-ins that the consent earned, with their script tokens.
 */
export async function undoConnection(
  ports: BackendPorts,
  form: URLSearchParams,
): Promise<{ status: number; page: Page }> {
  const text = form.get("state") ?? "";
  const hash = hashState(text);
  const row = hash && (await findState(ports.db, hash));
  if (row?.status !== "completed" || !isTicket(ports, "undo", text, form.get("ticket") ?? ""))
    return createStalePage(ports, "nothing to undo");
  const { installation_id, service: name, account_id } = row;
  const grant = await ports.db.transaction().execute(async (db) => {
    await lockInstallation(db, installation_id);
    if (!(await undoState(db, row.hash))) return undefined;
    const grant = await findGrant(db, installation_id, name);
    if (!grant || grant.account_id !== account_id) return undefined;
    await deleteGrant(db, installation_id, name);
    if ((row.details as { tokens?: boolean } | null)?.tokens === true) {
      const now = new Date(ports.clock.now());
      await revokeFamiliesSince(db, installation_id, row.created_at, now);
      await revokeScriptTokensSince(db, installation_id, row.created_at, now);
      await forgetAccount(db, { installation_id, provider: grant.provider, account_id: grant.account_id });
    }
    return grant;
  });
  const configuration = findService(await listServices(ports, installation_id), name);
  const revocation = await revokeGrant(ports, configuration, grant);
  const { title } = configuration.service;
  ports.log("warn", "connection.undone", { service: name });
  return {
    status: 200,
    page: {
      tone: "denial",
      title: `${title} is disconnected again`,
      text:
        revocation?.status === "revoked"
          ? `kay deleted the access and revoked it at ${title}.`
          : (revocation?.message ?? `kay deleted the access to ${title}.`),
      footer: "You can close this tab. Tell the person who sent you the link that you did not expect it.",
    },
  };
}
