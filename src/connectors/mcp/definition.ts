import { hash } from "node:crypto";
import type { Credential } from "../service.ts";
import type { Access } from "../tool.ts";
import { findOwnMethod } from "./own-methods.ts";

/** An MCP server as stored: its location, its sign-in, and the tools that its user approved. */
export type McpDefinition = {
  /** Name in commands: `files`. */
  name: string;
  /** Display name. */
  title: string;
  place: McpPlace;
  auth: McpAuth;
  tools: McpTool[];
  /** Names of tools that the server calls reads, and that the user lets run without an approval. */
  trustedReads?: string[];
};

/**
 * A server on the network, or a program on this machine with its folder and the names of the environment variables it
 * receives. Their values, such as tokens, are never stored.
 */
export type McpPlace = { url: string } | { command: string[]; folder?: string; env?: string[] };

/** How requests carry the pasted secret. Programs get none. */
export type McpAuth =
  | { type: "none" }
  | { type: "bearer" }
  | { type: "api_key"; header: string }
  /** Consent at the authorization server that the server names. kay uses this client ID or registers a client. */
  | { type: "oauth2"; client_id?: string };

/** A tool of the server in kay's form. Two tools are the same if all fields are equal. */
export type McpTool = {
  /** `files.list_directory`. */
  name: string;
  /** The server's name for it. */
  remote: string;
  /** The server's description, cleaned and truncated. */
  description: string;
  /** The access that the server claims. `getAccess` has what kay treats it as. */
  access: Access;
  /** Whether a call with a lost response may be repeated: the server declares the tool idempotent. */
  repeatable: boolean;
  /** Set if the server declares that the tool reaches nothing outside (MCP, "openWorldHint"). */
  closed?: boolean;
  /** JSON Schemas of the input and of the structured output, cleaned. */
  input: Record<string, unknown>;
  output?: Record<string, unknown>;
};

/**
 * Returns the access that kay assumes for a tool. The server's claim that it only reads counts if the user trusts it,
 * or for MCP's own methods that list and read resources and prompts.
 */
export function getAccess({ trustedReads = [] }: Pick<McpDefinition, "trustedReads">, tool: McpTool): Access {
  if (tool.access !== "read" || findOwnMethod(tool.remote)) return tool.access;
  return trustedReads.includes(tool.name) ? "read" : "write";
}

/** Formats a location for users: the URL, or the command as typed in a shell. */
export function formatMcpPlace(place: McpPlace): string {
  return "url" in place ? place.url : place.command.map(quoteWord).join(" ");
}

/** Returns a hash of location and sign-in, to which the server's secrets are bound. They are never sent elsewhere. */
export function getMcpBinding({ place, auth }: Pick<McpDefinition, "place" | "auth">): string {
  const location =
    "url" in place
      ? ["url", new URL(place.url).href]
      : ["command", ...place.command, place.folder ?? "", ...listEnvironment(place)];
  const detail =
    auth.type === "api_key" ? auth.header.toLowerCase() : auth.type === "oauth2" ? auth.client_id : undefined;
  const kinds = detail === undefined ? [auth.type] : [auth.type, detail];
  return hash("sha256", JSON.stringify(["mcp", location, kinds]), "hex");
}

/** Returns a hash of everything that the user reviewed, so that an approval stores nothing else. */
export function computeFingerprint({ place, auth, tools }: Pick<McpDefinition, "place" | "auth" | "tools">): string {
  return hash("sha256", JSON.stringify([getMcpBinding({ place, auth }), tools]), "hex").slice(0, 32);
}

/** Returns where the pasted secret goes. */
export function toCredential(auth: McpAuth): Credential {
  if (auth.type === "none") return { kind: "none" };
  if (auth.type !== "api_key") return { kind: "header", name: "authorization", prefix: "Bearer " };
  return { kind: "header", name: auth.header.toLowerCase(), prefix: "" };
}

/** Omits an empty list, so that it has the same binding as no list. */
function listEnvironment({ env = [] }: { env?: string[] }): unknown[] {
  return env.length === 0 ? [] : [{ env }];
}

function quoteWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
