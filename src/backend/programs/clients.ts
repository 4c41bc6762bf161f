import * as z from "zod/mini";
import { isLoopbackHost } from "#net/addresses";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { tryParseJson } from "#protocol/json";
import { createFetchPolicy, type FetchPolicyPorts, readDocument } from "../connections/mcp/fetch-policy.ts";
import type { BackendPorts } from "../ports.ts";
import { createTicket, isTicket } from "../store/secrets.ts";
import { OAuthError } from "./oauth-error.ts";

/** A program as it describes itself. Its name is not verified. */
export type ProgramClient = { id: string; name: string; redirectUris: string[] };

type Keys = Pick<BackendPorts, "keys">;

/** Name of a program that gives none. */
const UNNAMED = "another program";

const LONGEST_NAME = 60;
/** Characters of a client ID, which travels in the query of every authorization. */
const LONGEST_ID = 2_500;

const Metadata = z.looseObject({
  client_name: z.optional(z.string()),
  redirect_uris: z.array(z.string().check(z.maxLength(300))).check(z.minLength(1), z.maxLength(10)),
});

/**
 * Registers a program (RFC 7591). Its client ID contains its signed metadata, so nothing is stored and no one can fill
 * the database.
 *
 * @throws OAuthError invalid_client_metadata, invalid_redirect_uri
 */
export function registerClient(ports: Keys, body: unknown): ProgramClient {
  const { name, redirectUris } = parseMetadata(body);
  const data = Buffer.from(JSON.stringify([name, ...redirectUris])).toString("base64url");
  const id = `${data}.${createTicket(ports, "program-client", data)}`;
  if (id.length > LONGEST_ID) throw new OAuthError("invalid_client_metadata", "redirect_uris are too long.");
  return { id, name, redirectUris };
}

/**
 * Finds a program by its client ID: one that `registerClient` made, or the HTTPS address of a client ID metadata
 * document, which is fetched.
 *
 * @throws OAuthError invalid_request with the reason
 */
export async function findClient(ports: Keys & FetchPolicyPorts, id: string): Promise<ProgramClient> {
  if (id.length > LONGEST_ID) throw unknownClientError();
  if (id.startsWith("https://")) return await fetchClient(ports, id);
  const [data = "", ticket = ""] = id.split(".");
  const isValid = isTicket(ports, "program-client", data, ticket);
  const [name, ...redirectUris] = isValid ? (tryParseJson(Buffer.from(data, "base64url").toString()) as string[]) : [];
  if (name === undefined) throw unknownClientError();
  return { id, name, redirectUris };
}

/** Whether a program may be answered at an address: one that it registered, with any port on this machine (RFC 8252 section 7.3). */
export function allowsRedirect({ redirectUris }: ProgramClient, address: string): boolean {
  return redirectUris.some((registered) => registered === address || withoutPort(registered) === withoutPort(address));
}

/** Returns the address without its port if it is on the user's machine; otherwise the address unchanged. */
function withoutPort(address: string): unknown {
  const url = parseRedirect(address);
  if (!url || !isLoopbackHost(url.hostname)) return Symbol(address);
  url.port = "";
  return url.href;
}

/** Parses an address that codes may go to: https, or http on the user's machine (MCP, "Communication Security"). */
function parseRedirect(address: string): URL | undefined {
  const url = URL.parse(address);
  if (url?.hash !== "" || url.username !== "" || url.password !== "") return undefined;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname)) ? url : undefined;
}

/** @throws OAuthError invalid_request */
async function fetchClient(ports: FetchPolicyPorts, id: string): Promise<ProgramClient> {
  const url = URL.parse(id);
  if (!url || url.href !== id || url.pathname === "/" || url.hash !== "" || url.username !== "")
    throw unknownClientError();
  try {
    const document = await readDocument(await createFetchPolicy(ports, id), url, "this program");
    if (document?.client_id === id) return { id, ...parseMetadata(document) };
  } catch (cause) {
    if (!(cause instanceof Problem) && !(cause instanceof OAuthError)) throw cause;
    throw new OAuthError("invalid_request", `The program's document at ${url.host} cannot be used. ${cause.message}`, {
      cause,
    });
  }
  throw new OAuthError("invalid_request", `${url.host} has no client metadata document for this program.`);
}

/** Parses the metadata of a program. Leaves out addresses that kay sends no code to. */
function parseMetadata(body: unknown): Omit<ProgramClient, "id"> {
  const { success, data } = z.safeParse(Metadata, body);
  if (!success)
    throw new OAuthError("invalid_client_metadata", "A program needs one to ten redirect_uris of 300 characters.");
  const redirectUris = data.redirect_uris.filter(parseRedirect);
  if (redirectUris.length === 0)
    throw new OAuthError("invalid_redirect_uri", "A redirect_uri must use https, or http on 127.0.0.1 or localhost.");
  return { name: cleanLine(data.client_name ?? "", LONGEST_NAME) || UNNAMED, redirectUris };
}

function unknownClientError(): OAuthError {
  return new OAuthError("invalid_request", "This backend does not know the client_id. Register the program again.");
}
