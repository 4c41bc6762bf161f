import { clean } from "#protocol/clean";
import { formatLocalDay } from "#ui/text/local-time";
import { toLine } from "#ui/text/words";
import { formatAccount, formatSite, saveAccountLabels } from "../backend/account-labels.ts";
import { findScriptToken } from "../backend/script-token.ts";
import { Command } from "../command.ts";
import type { Kay } from "../kay.ts";

/** Defines `kay whoami`: shows the accounts of this profile and its backend. */
export function createWhoamiCommand(kay: Kay): Command {
  return new Command("whoami").description("Show your connected accounts and backend").action(async () => {
    const link = await kay.openBackend({ signedIn: true });
    const { connections } = await link.api.connections({ signal: kay.signal });
    await saveAccountLabels(link, connections, { whole: true });
    const settings = await kay.settings();
    const signIn = link.usesEnvironmentToken ? {} : (await link.credentials.read(link.origin)).signIn;
    const scriptToken = await findScriptToken(kay, link);
    const accounts = Object.entries(connections).filter(([, connection]) => connection.connected);
    if (kay.flags.json) {
      return kay.out.writeJson({
        profile: settings.profile,
        backend: link.embedded ? "embedded" : link.origin,
        session_id: signIn.session_id,
        account_id: signIn.account_id,
        script_token: scriptToken,
        accounts: Object.fromEntries(accounts.map(([service, { user, metadata }]) => [service, { user, metadata }])),
      });
    }
    const rows = accounts.map(([service, connection]) => [
      clean(service, { lines: false }),
      formatAccount(connection),
      formatSite(connection),
    ]);
    if (rows.length === 0)
      kay.out.writeProgress(
        "You are signed in, but no services are connected.\n  Run `kay connect <service>` to connect one.",
      );
    else await kay.out.writeTable(["SERVICE", "ACCOUNT", "SITE"], rows);
    if (scriptToken)
      kay.out.writeProgress(
        `Token “${toLine(scriptToken.name)}”, valid until ${formatLocalDay(scriptToken.expires_at)}`,
      );
    kay.out.writeProgress(
      `Profile ${settings.profile}, ${link.embedded ? "the local backend" : `backend ${link.origin}`}`,
    );
  });
}
