import { Problem } from "#protocol/errors";
import { CONNECTION_COLUMNS, connectionRows } from "../../commands/connections.ts";
import { disconnectAsked, disconnectedText } from "../../commands/disconnect.ts";
import { TOOL_COLUMNS, toolRow } from "../../tools/show.ts";
import { allTools } from "../../tools/source.ts";
import type { SlashContext } from "./command.ts";
import { rowsText } from "./rows.ts";

/** `/connect SERVICE…`, and `/connect jira --site NAME`. */
export async function connect(context: SlashContext, argument: string): Promise<void> {
  if (context.link.byToken)
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
export async function disconnect({ kay, link, ask, say }: SlashContext, argument: string): Promise<void> {
  const answers = await disconnectAsked(kay, link, servicesIn(argument, "disconnect"), ask);
  say(answers.map(disconnectedText).join("\n"));
}

/** `/connections`. */
export async function connections(context: SlashContext): Promise<void> {
  const answer = await context.link.api.connections({ signal: context.kay.signal });
  context.say(rowsText(context, CONNECTION_COLUMNS, connectionRows(answer)));
}

/** `/tools [SERVICE]`. */
export async function tools(context: SlashContext, argument: string): Promise<void> {
  const found = await allTools(context.kay, argument === "" ? undefined : argument);
  context.say(rowsText(context, TOOL_COLUMNS, found.map(toolRow)));
}

function servicesIn(argument: string, verb: string): string[] {
  const services = argument.split(/[\s,]+/).filter((word) => word !== "");
  if (services.length > 0) return [...new Set(services)];
  throw new Problem("USAGE", `Say which service to ${verb}.`, {
    hint: `For example /${verb} jira. /connections shows every service.`,
  });
}
