import type { Fetch } from "#net/ports";
import { Problem } from "#protocol/errors";
import { type McpDefinition, type McpPlace, toCredential } from "./definition.ts";
import type { Programs } from "./programs.ts";
import type { ToolList } from "./tools/read-tools.ts";
import type { McpClientOptions } from "./types.ts";

/** Shown when a hosted backend refuses to start a program. */
export const NO_PROGRAMS_TEXT = "This backend does not start programs. Only a local backend does.";
const NO_PROGRAMS_HINT = "Use the local backend (`kay config unset api-url`) or a server on the network.";

type RefusedRequest = { status: number; token: string | undefined; challenge: string | null };

/**
 * Builds the options for connecting to a server.
 *
 * @param serverNow returns the server with the secret of its current user, which is sent with each request
 * @throws Problem ADDRESS_REFUSED when programs are not allowed, SERVICE_FAILED when an environment variable is missing
 */
export function toClientOptions(
  { programs, version }: { programs?: Programs; version: string },
  serverNow: () => Omit<McpServerRef, "key">,
  more: Pick<McpClientOptions, "era" | "onToolsChanged" | "resumes" | "signal">,
): McpClientOptions {
  const { definition, fetch } = serverNow();
  const { name, title, place, auth } = definition;
  const about = { name, title, version, elicits: true, ...more };
  if ("command" in place) {
    if (!programs) throw new Problem("ADDRESS_REFUSED", NO_PROGRAMS_TEXT, { hint: NO_PROGRAMS_HINT });
    requireEnvironment(programs, title, place);
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
          onUnauthorized: async ({ token, ...refusal }: RefusedRequest) =>
            await serverNow().secret?.renewToken(token ?? "", refusal),
        }
      : {}),
  };
  return { ...about, place: { http } };
}

/** Checks the variables first: without its key, a program would exit or fail at each call with an unclear message. */
function requireEnvironment(
  programs: Programs,
  title: string,
  { env = [] }: Extract<McpPlace, { command: string[] }>,
): void {
  const lacking = programs.lacks(env);
  if (lacking.length === 0) return;
  const [isOrAre, pronoun] = lacking.length === 1 ? ["is", "it is"] : ["are", "they are"];
  throw new Problem(
    "SERVICE_FAILED",
    `${title} needs ${lacking.join(" and ")}, which ${isOrAre} not set in the local backend's environment. Run \`kay serve --stop\`, then try again where ${pronoun} set.`,
    { hint: "" },
  );
}

/** A server and its user. Users with the same `key` share a connection. */
export type McpServerRef = {
  key: string;
  definition: McpDefinition;
  fetch: Fetch;
  /** The token or key, if the server needs one; see `HttpTransportOptions`. */
  secret?: {
    token(): Promise<string>;
    renewToken(token: string, refusal?: { status: number; challenge: string | null }): Promise<string>;
  };
  /** Called with the server's tools each time they are listed. */
  onList?(list: ToolList): Promise<void>;
};
