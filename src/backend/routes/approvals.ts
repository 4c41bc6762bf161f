import { Hono } from "hono";
import { findTool } from "#agent/calls/call-directly";
import type { ServiceConfiguration } from "#connectors/service";
import {
  type Grant,
  type GrantsResponse,
  type GrantsRevoked,
  GrantTest,
  type GrantTestResponse,
} from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { authenticate } from "../accounts/authenticate.ts";
import { decideCall, toSentence } from "../approvals/decide.ts";
import { listGrants, revokeGrant, revokeGrants } from "../approvals/grants.ts";
import { checkTarget, resolveMode } from "../approvals/policies.ts";
import { toAccount } from "../approvals/scope.ts";
import { listServices } from "../connections/services/catalog.ts";
import type { BackendPorts } from "../ports.ts";
import { isConversationOwner } from "../store/conversations.ts";
import { findGrant } from "../store/grants.ts";
import { listPolicies } from "../store/policies.ts";
import { buildServiceTools } from "../tools/toolbox.ts";
import { readJsonBody } from "./body.ts";

/** The mode of an ordinary write if a client can answer. */
const WRITES = "confirm_before_execution";

/** Saved approvals: `GET /approvals`, `DELETE /approvals[/:id]`, `POST /approvals/test`. */
export function createApprovalRoutes(ports: BackendPorts): Hono {
  const app = new Hono();
  app.get("/approvals", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const answer: GrantsResponse = { approvals: await listGrants(ports, installationId) };
    return c.json(answer);
  });
  app.delete("/approvals", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const answer: GrantsRevoked = { revoked: await revokeAll(ports, installationId, c.req.query("target")) };
    return c.json(answer);
  });
  app.delete("/approvals/:id", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const answer: GrantsRevoked = { revoked: [await revokeGrant(ports, installationId, c.req.param("id"))] };
    return c.json(answer);
  });
  app.post("/approvals/test", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const test = parseShape(GrantTest, await readJsonBody(c.req.raw), "the request");
    return c.json(await testGrant(ports, installationId, test));
  });
  return app;
}

async function revokeAll(ports: BackendPorts, installationId: string, target: string | undefined): Promise<Grant[]> {
  if (!target) {
    throw new Problem("INVALID_REQUEST", "Name a service or tool in ?target=, or * for all.", {
      details: { field: "target" },
    });
  }
  const targets = (await listGrants(ports, installationId)).flatMap(({ tool }) => [tool, tool.replace(/\..*/, "")]);
  checkTarget(await listServices(ports, installationId), target, targets);
  return await revokeGrants(ports, installationId, target);
}

/** Tests whether a call would run without asking. Without an input, tests calls of the tool with any arguments. */
async function testGrant(
  ports: BackendPorts,
  installationId: string,
  { tool: name, input, session_id: conversationId }: GrantTest,
): Promise<GrantTestResponse> {
  const { parse, service } = findTool(await buildServiceTools(ports, { installationId, generationId: "" }), name);
  const tool = { ...getDefinition(await listServices(ports, installationId), name), service };
  if (conversationId !== undefined && !(await isConversationOwner(ports.db, installationId, conversationId))) {
    throw new Problem("SESSION_NOT_FOUND", "No conversation has this ID.");
  }
  if (input === undefined) {
    const policies = await listPolicies(ports.db, installationId);
    const { mode, why } = resolveMode({ tool, policies, writes: WRITES });
    return { asks: mode !== "auto", why: toSentence(why) };
  }
  const connection = await findGrant(ports.db, installationId, service);
  const { mode, why, grant } = await decideCall(ports, {
    installationId,
    tool,
    input: parse(input),
    writes: WRITES,
    peek: true,
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(connection === undefined ? {} : { account: toAccount(connection) }),
  });
  return { asks: mode !== "auto", why: toSentence(why), ...(grant ? { grant } : {}) };
}

function getDefinition(services: ServiceConfiguration[], name: string) {
  const tool = services.flatMap(({ service }) => service.tools).find((candidate) => candidate.name === name);
  if (!tool) throw new TypeError(`the toolbox has ${name}, its service has not`);
  return tool;
}
