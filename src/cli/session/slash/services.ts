import { Problem } from "#protocol/errors";
import { CONNECTION_COLUMNS, toConnectionRows } from "../../commands/connections.ts";
import { confirmAndDisconnect, formatDisconnected } from "../../commands/disconnect.ts";
import { loadTools } from "../../commands/tools/backend.ts";
import { TOOL_COLUMNS, toToolRow } from "../../commands/tools/show.ts";
import type { SlashContext } from "./command.ts";
import { formatRows } from "./command.ts";

/** `/connect SERVICE…`, and `/connect jira --site NAME`. */
export async function runConnect(context: SlashContext, argument: string): Promise<void> {
  if (context.link.usesEnvironmentToken)
    throw new Problem(
      "USAGE",
      "KAY_TOKEN is set, but services are connected for a sign-in that is kept on this machine.",
      {
        hint: "Leave, and unset KAY_TOKEN.",
      },
    );
  const [whole = "", quoted, bare] = SITE.exec(argument) ?? [];
  const services = servicesIn(argument.replace(whole, " "), "connect");
  if (whole === "" && /(^|\s)--site\b/.test(argument))
    throw new Problem("USAGE", "Say which site: /connect jira --site NAME.");
  await context.connect(services, quoted ?? bare);
}

const SITE = /(?:^|\s)--site(?:\s+|=)(?:"([^"]+)"|(\S+))/;

/** `/disconnect SERVICE…`. */
export async function runDisconnect({ kay, link, ask, say }: SlashContext, argument: string): Promise<void> {
  const answers = await confirmAndDisconnect(kay, link, servicesIn(argument, "disconnect"), ask);
  say(answers.map(formatDisconnected).join("\n"));
}

/** `/connections`. */
export async function runConnections(context: SlashContext): Promise<void> {
  const answer = await context.link.api.connections({ signal: context.kay.signal });
  context.say(formatRows(context, CONNECTION_COLUMNS, toConnectionRows(answer)));
}

/** `/tools [SERVICE]`. */
export async function runTools(context: SlashContext, argument: string): Promise<void> {
  const found = await loadTools(context.kay, argument === "" ? undefined : argument);
  context.say(formatRows(context, TOOL_COLUMNS, found.map(toToolRow)));
}

function servicesIn(argument: string, verb: string): string[] {
  const services = argument.split(/[\s,]+/).filter((word) => word !== "");
  if (services.length > 0) return [...new Set(services)];
  throw new Problem("USAGE", `Specify a service to ${verb}.`, {
    hint: `For example /${verb} jira. /connections shows every service.`,
  });
}
