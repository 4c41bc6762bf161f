import type { Fetch } from "#net/ports";
import { Problem } from "#protocol/errors";
import { type McpDefinition, type McpPlace, toCredential } from "./definition.ts";
import type { Programs } from "./programs.ts";
import type { ToolList } from "./tools.ts";
import type { McpClientOptions } from "./types.ts";

/** Why a hosted backend takes no command. */
export const NO_PROGRAMS_TEXT =
  "This backend starts no programs: only kay's own backend, on the machine of its person, does.";
const OWN_BACKEND = "Use kay's own backend (`kay config unset api-url`), or a server on the network.";

type Refused = { status: number; token: string | undefined; challenge: string | null };

/**
 * How a link to a server is opened.
 *
 * @param serverNow whoever uses it at the moment: their secret goes with each request
 * @throws Problem ADDRESS_REFUSED for a program where none is started, SERVICE_FAILED for one that lacks what it is to be given
 */
export function toClientOptions(
  { programs, version }: { programs?: Programs; version: string },
  serverNow: () => Omit<McpServerRef, "key">,
  more: Pick<McpClientOptions, "era" | "onToolsChanged" | "signal">,
): McpClientOptions {
  const { definition, fetch } = serverNow();
  const { name, title, place, auth } = definition;
  const about = { name, title, version, elicits: true, ...more };
  if ("command" in place) {
    if (!programs) throw new Problem("ADDRESS_REFUSED", NO_PROGRAMS_TEXT, { hint: OWN_BACKEND });
    requireGiven(programs, title, place);
    return { ...about, place: { program: { programs, ...place } } };
  }
  const secret = serverNow().secret;
  const http = {
    url: place.url,
    fetch,
    credential: toCredential(auth),
    ...(secret
      ? {
          accessToken: async () => await serverNow().secret?.token(),
          onUnauthorized: async ({ token, ...refusal }: Refused) =>
            await serverNow().secret?.rejected(token ?? "", refusal),
        }
      : {}),
  };
  return { ...about, place: { http } };
}

/** A program without its key would end, or fail at each call, in words of its own. */
function requireGiven(programs: Programs, title: string, { env = [] }: Extract<McpPlace, { command: string[] }>): void {
  const lacking = programs.lacks(env);
  if (lacking.length === 0) return;
  const [isOrAre, it] = lacking.length === 1 ? ["is", "it is"] : ["are", "they are"];
  throw new Problem(
    "SERVICE_FAILED",
    `${title} needs ${lacking.join(" and ")}, which ${isOrAre} not set where kay's own backend was started. Run \`kay serve --stop\`, then try again where ${it} set.`,
    { hint: "" },
  );
}

/** A server as somebody uses it. `key` is the same for whoever may share its link. */
export type McpServerRef = {
  key: string;
  definition: McpDefinition;
  fetch: Fetch;
  /** The token or key, where it takes one; see `HttpWay`. */
  secret?: {
    token(): Promise<string>;
    rejected(token: string, refusal?: { status: number; challenge: string | null }): Promise<string>;
  };
  /** Told of the tools that the server lists, whenever they were listed. */
  listed?(list: ToolList): Promise<void>;
};
