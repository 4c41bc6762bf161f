import { Hono } from "hono";
import type { AskRequest } from "#protocol/ask";
import { cleanLine } from "#protocol/clean";
import { ClientMode, type ClientsResponse } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { authenticate } from "../accounts/authenticate.ts";
import type { BackendPorts } from "../ports.ts";
import { listClients, putClient } from "../store/clients.ts";
import { isConversationOwner } from "../store/conversations.ts";
import { readJsonBody } from "./body.ts";
import { sessionNotFoundProblem } from "./sessions.ts";

/** A client as it identifies itself, and whether it can answer, if it says so. */
export type RequestedClient = NonNullable<AskRequest["client"]>;

/** Most characters of a name. */
const LONGEST_NAME = 60;

/**
 * Parses a client that follows: `?client=ID&name=NAME&interaction=enabled|disabled|unsupported`. @throws Problem
 * INVALID_REQUEST
 */
export function parseClientQuery(query: Record<string, string>): RequestedClient | undefined {
  const { client: id, name, interaction } = query;
  if (!id) return undefined;
  if (interaction !== undefined && !Object.hasOwn(MODES, interaction))
    throw new Problem("INVALID_REQUEST", `interaction is ${Object.keys(MODES).join(", ")}.`, {
      details: { field: "interaction" },
    });
  const mode = interaction === undefined ? undefined : MODES[interaction];
  return parseClient({ id, ...(name ? { name } : {}), ...(mode ? { interaction: mode } : {}) });
}

/** Parses a client's ID and name, which it chooses and others see. @throws Problem INVALID_REQUEST */
export function parseClient({ id, name, interaction }: RequestedClient): RequestedClient {
  const label = cleanLine(name ?? "", LONGEST_NAME);
  return { id: parseClientId(id), ...(label === "" ? {} : { name: label }), ...(interaction ? { interaction } : {}) };
}

/** Converts a requested mode. A client that states nothing can answer. */
export function toClientMode({ name, interaction = { supported: true, enabled: true } }: RequestedClient): ClientMode {
  return { ...(name === undefined ? {} : { name }), interaction };
}

/** Validates a client's ID, which appears in paths and is shown. @throws Problem INVALID_REQUEST */
function parseClientId(id: string): string {
  if (/^[\w.:-]{1,100}$/.test(id)) return id;
  throw new Problem("INVALID_REQUEST", "A client ID has 1 to 100 letters, digits, or . _ : -", {
    details: { field: "client_id" },
  });
}

const MODES: Record<string, ClientMode["interaction"]> = {
  enabled: { supported: true, enabled: true },
  disabled: { supported: true, enabled: false },
  unsupported: { supported: false, enabled: false },
};

/**
 * Routes about who follows a conversation and may answer in it: `/sessions/:id/clients`,
 * `/sessions/:id/clients/:client_id`.
 */
export function createClientRoutes(ports: BackendPorts): Hono {
  const { db, clock } = ports;
  const app = new Hono();
  app.get("/sessions/:id/clients", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const conversationId = await requireConversation(ports, installationId, c.req.param("id"));
    const answer: ClientsResponse = await listClients(db, conversationId, clock.now());
    return c.json(answer);
  });
  app.put("/sessions/:id/clients/:client_id", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const mode = parseShape(ClientMode, await readJsonBody(c.req.raw), "the request");
    const clientId = parseClientId(c.req.param("client_id"));
    const conversationId = await requireConversation(ports, installationId, c.req.param("id"));
    await putClient(
      db,
      { conversationId, clientId },
      toClientMode(parseClient({ id: clientId, ...mode })),
      clock.now(),
    );
    const answer: ClientsResponse = await listClients(db, conversationId, clock.now());
    return c.json(answer);
  });
  return app;
}

async function requireConversation({ db }: BackendPorts, installationId: string, id: string): Promise<string> {
  if (await isConversationOwner(db, installationId, id)) return id;
  throw sessionNotFoundProblem();
}
