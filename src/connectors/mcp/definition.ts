import { createHash } from "node:crypto";
import type { Access, Credential } from "../service.ts";

/** An MCP server as a service, as it is stored: where it is, how one signs in, and the tools that its person approved. */
export type McpDefinition = {
  /** As typed: `files`. */
  name: string;
  /** As people read it. */
  title: string;
  place: McpPlace;
  auth: McpAuth;
  tools: McpTool[];
};

/**
 * A server on the network, or a program of this machine: the folder that it runs in, and the names of what it is given of the environment that
 * kay's own backend was started with. What is under these names, such as a token, is stored nowhere.
 */
export type McpPlace = { url: string } | { command: string[]; folder?: string; env?: string[] };

/** How requests to it carry what its person pasted; a program gets none. */
export type McpAuth =
  | { type: "none" }
  | { type: "bearer" }
  | { type: "api_key"; header: string }
  /** Consent at an authorization server that the server names; as a client that was registered by hand, or one that kay registers itself. */
  | { type: "oauth2"; client_id?: string };

/** A tool of the server, in kay's form. Two are the same when all of this is. */
export type McpTool = {
  /** `files.list_directory`. */
  name: string;
  /** As the server calls it. */
  remote: string;
  /** The server's own words, cleaned and cut. */
  description: string;
  access: Access;
  /** Whether a call whose answer was lost may be made again: the server says that this changes nothing more. */
  repeatable: boolean;
  /** JSON Schema of the input and of the structured answer, cleaned. */
  input: Record<string, unknown>;
  output?: Record<string, unknown>;
};

/** For people and errors: the address, or the command as one would type it. */
export function formatMcpPlace(place: McpPlace): string {
  return "url" in place ? place.url : place.command.map(word).join(" ");
}

/** What keys and tokens of the server are sealed to, so that none is ever sent elsewhere. */
export function getMcpBinding({ place, auth }: Pick<McpDefinition, "place" | "auth">): string {
  const where =
    "url" in place
      ? ["url", new URL(place.url).href]
      : ["command", ...place.command, place.folder ?? "", ...pickGiven(place)];
  const more =
    auth.type === "api_key" ? auth.header.toLowerCase() : auth.type === "oauth2" ? auth.client_id : undefined;
  const how = more === undefined ? [auth.type] : [auth.type, more];
  return createHash("sha256")
    .update(JSON.stringify(["mcp", where, how]))
    .digest("hex");
}

/** Names what a person looked at, so that nothing else is stored by their yes. */
export function computeFingerprint({ place, auth, tools }: Pick<McpDefinition, "place" | "auth" | "tools">): string {
  return createHash("sha256")
    .update(JSON.stringify([getMcpBinding({ place, auth }), tools]))
    .digest("hex")
    .slice(0, 32);
}

/** Where the pasted secret goes. */
export function toCredential(auth: McpAuth): Credential {
  if (auth.type === "none") return { kind: "none" };
  if (auth.type !== "api_key") return { kind: "header", name: "authorization", prefix: "Bearer " };
  return { kind: "header", name: auth.header.toLowerCase(), prefix: "" };
}

/** One without names has the binding that it would have if there were none at all. */
function pickGiven({ env = [] }: { env?: string[] }): unknown[] {
  return env.length === 0 ? [] : [{ env }];
}

function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
