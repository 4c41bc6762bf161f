import { Hono } from "hono";
import { ClientMode, type ClientsResponse } from "#protocol/conversations";
import { parseShape } from "#protocol/parse";
import { authenticate } from "../accounts/authenticate.ts";
import type { BackendPorts } from "../ports.ts";
import { listClients, putClient } from "../store/clients.ts";
import { isConversationOwner } from "../store/conversations.ts";
import { readJsonBody } from "./body.ts";
import { parseClient, parseClientId, toClientMode } from "./client-mode.ts";
import { sessionNotFoundProblem } from "./sessions.ts";

/** Who follows a conversation and may answer in it (protocol section 3): `/sessions/:id/clients`, `/sessions/:id/clients/:client_id`. */
export function createClientRoutes(ports: BackendPorts): Hono {
  const { db, clock } = ports;
  const app = new Hono();
  app.get("/sessions/:id/clients", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const conversationId = await owned(ports, installationId, c.req.param("id"));
    const answer: ClientsResponse = await listClients(db, conversationId, clock.now());
    return c.json(answer);
  });
  app.put("/sessions/:id/clients/:client_id", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const mode = parseShape(ClientMode, await readJsonBody(c.req.raw), "the request");
    const clientId = parseClientId(c.req.param("client_id"));
    const conversationId = await owned(ports, installationId, c.req.param("id"));
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

async function owned({ db }: BackendPorts, installationId: string, id: string): Promise<string> {
  if (await isConversationOwner(db, installationId, id)) return id;
  throw sessionNotFoundProblem();
}
