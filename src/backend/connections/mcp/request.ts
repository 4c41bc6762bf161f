import { isAbsolute } from "node:path";
import { isReservedHeader } from "#connectors/custom/check-tool";
import type { McpAuth, McpPlace } from "#connectors/mcp/definition";
import { isLoopbackHost } from "#net/addresses";
import { cleanLine } from "#protocol/clean";
import type { McpRequest } from "#protocol/custom-services";
import { Problem } from "#protocol/errors";
import { isAccountLabel } from "#protocol/tool-names";

const LONGEST_ADDRESS = 2_000;
const MOST_WORDS = 64;
const LONGEST_WORD = 4_096;
/** The name of a variable. kay's own variables are refused because they hold its secrets. */
const VARIABLE = /^(?!KAY_|DATABASE_URL$)[A-Za-z_]\w{0,126}$/i;
const MOST_VARIABLES = 32;
const NAME = /^[a-z][a-z0-9-]{1,30}$/;

/** A validated request: where the server is, and how it expects a key, if it needs one. */
export type ParsedMcpRequest = { place: McpPlace; auth?: McpAuth; name?: string; clientSecret?: string };

/** @throws Problem INVALID_REQUEST that names the field */
export function parseMcpRequest(request: McpRequest): ParsedMcpRequest {
  const { url, command, folder, env, name, key_header: header, client_id: client } = request;
  const { client_secret: secret } = request;
  if ((url === undefined) === (command === undefined))
    throw invalidFieldProblem("mcp", "Specify the address of an MCP server, or its command.");
  const [base = "", ...labels] = (name ?? "").split("@");
  if (name !== undefined && !(NAME.test(base) && (labels.length === 0 || isAccountLabel(labels.join("@")))))
    throw invalidFieldProblem(
      "name",
      `The name must be 2 to 31 characters of a-z, 0-9 and -, and begin with a letter.`,
    );
  if (header !== undefined && command) throw invalidFieldProblem("key_header", "A program cannot have a header.");
  if (header !== undefined && (!/^[A-Za-z][\w-]{0,60}$/.test(header) || isReserved(header)))
    throw invalidFieldProblem("key_header", `${cleanLine(header, 60)} is not a header that can hold a key.`);
  if (env !== undefined && !command)
    throw invalidFieldProblem("env", "Only a program can receive environment variables.");
  if (client !== undefined && (command || header !== undefined || !/^[\x21-\x7e]{1,500}$/.test(client)))
    throw invalidFieldProblem("client_id", "A client ID requires a server with OAuth consent.");
  if (secret !== undefined && (client === undefined || !/^[\x21-\x7e]{1,4000}$/.test(secret)))
    throw invalidFieldProblem(
      "client_secret",
      "A client secret is printable ASCII without spaces, and goes with a client ID.",
    );
  return {
    place: url === undefined ? getCommand(command ?? [], folder, env) : { url: getAddress(url) },
    ...(header === undefined ? {} : { auth: { type: "api_key", header } }),
    ...(client === undefined ? {} : { auth: { type: "oauth2", client_id: client } }),
    ...(name === undefined ? {} : { name }),
    ...(secret === undefined ? {} : { clientSecret: secret }),
  };
}

/** Derives a name for a server from its own name or its address. */
export function deriveServerName(serverName: string | undefined, place: McpPlace): string {
  const source = serverName ?? ("url" in place ? getHostLabel(new URL(place.url).hostname) : (place.command[0] ?? ""));
  const words = source
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "" && !FILLERS.has(word));
  const name = words
    .join("-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 31)
    .replace(/(?<!-)-+$/, "");
  return NAME.test(name) ? name : "mcp";
}

const FILLERS = new Set(["mcp", "server", "reference", "the", "example", "servers"]);

function getHostLabel(host: string): string {
  const labels = host.replace(/^\[|\]$/g, "").split(".");
  if (labels.length < 2 || /^[\d.:]+$/.test(host)) return host;
  return labels.at(-2) ?? host;
}

function getAddress(text: string): string {
  const address = URL.parse(text.trim());
  const addressProblem = (fault: string) => invalidFieldProblem("url", `The address ${fault}.`);
  if (!address || text.length > LONGEST_ADDRESS || !/^https?:$/.test(address.protocol))
    throw addressProblem("cannot be reached: it must begin with https://");
  if (address.protocol === "http:" && !isLoopbackHost(address.hostname))
    throw addressProblem("must begin with https://; http:// is allowed only for this machine");
  if (address.username || address.password) throw addressProblem("must not contain a user name or password");
  if (address.hash) throw addressProblem("must not contain a # fragment");
  return address.href;
}

function getCommand(command: string[], folder: string | undefined, env: string[] = []): McpPlace {
  const [program = ""] = command;
  if (program.trim() === "") throw invalidFieldProblem("command", "The command is empty.");
  if (command.length > MOST_WORDS || command.some((word) => word.length > LONGEST_WORD || word.includes("\0")))
    throw invalidFieldProblem("command", "The command is too long.");
  if (folder !== undefined && (!isAbsolute(folder) || folder.includes("\0")))
    throw invalidFieldProblem("folder", "The folder must be an absolute path.");
  const invalidName = env.find((name) => !VARIABLE.test(name));
  if (invalidName !== undefined || env.length > MOST_VARIABLES)
    throw invalidFieldProblem(
      "env",
      "Specify only names of environment variables, such as GITHUB_TOKEN, and none of kay's own.",
    );
  const names = [...new Set(env)].sort();
  return { command, ...(folder === undefined ? {} : { folder }), ...(names.length > 0 ? { env: names } : {}) };
}

function isReserved(header: string): boolean {
  const lower = header.toLowerCase();
  return (
    lower !== "authorization" && (isReservedHeader(header) || lower.startsWith("mcp-") || lower === "last-event-id")
  );
}

function invalidFieldProblem(field: string, sentence: string): Problem {
  return new Problem("INVALID_REQUEST", sentence, { hint: "", details: { field } });
}
