import { Hono } from "hono";
import { PoliciesChange, type PoliciesResponse } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { authenticate } from "../accounts/authenticate.ts";
import { checkTarget } from "../approvals/policies.ts";
import { listServices } from "../connections/services/catalog.ts";
import type { BackendPorts } from "../ports.ts";
import { findApprovalTimeout, putApprovalTimeout } from "../store/installations.ts";
import { listPolicies, putPolicies } from "../store/policies.ts";
import { readJsonBody } from "./body.ts";

/** Creates the routes for policies: `GET /policies`, `PUT /policies`. */
export function createPolicyRoutes(ports: BackendPorts): Hono {
  const app = new Hono();
  app.get("/policies", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return c.json(await getPolicies(ports, installationId));
  });
  app.put("/policies", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const { policies, approval_timeout } = parseShape(PoliciesChange, await readJsonBody(c.req.raw), "the request");
    await changePolicies(ports, installationId, policies);
    if (approval_timeout !== undefined) await putApprovalTimeout(ports.db, installationId, approval_timeout);
    return c.json(await getPolicies(ports, installationId));
  });
  return app;
}

async function getPolicies({ db }: BackendPorts, installationId: string): Promise<PoliciesResponse> {
  const policies = await listPolicies(db, installationId);
  const approvalTimeout = await findApprovalTimeout(db, installationId);
  return { policies, ...(approvalTimeout === undefined ? {} : { approval_timeout: approvalTimeout }) };
}

/** Applies all changes, or none if one is invalid. */
async function changePolicies(
  ports: BackendPorts,
  installationId: string,
  changes: Parameters<typeof putPolicies>[2],
): Promise<void> {
  const existingTargets = (await listPolicies(ports.db, installationId)).map(({ target }) => target);
  // A policy may outlive its service, and users must still be able to remove it.
  const services = await listServices(ports, installationId);
  for (const { target, mode } of changes) checkTarget(services, target, mode === null ? existingTargets : []);
  const targets = changes.map(({ target }) => target);
  const duplicate = targets.find((target, index) => targets.indexOf(target) !== index);
  if (duplicate !== undefined) {
    throw new Problem("INVALID_REQUEST", `The request names ${duplicate} twice.`, { details: { target: duplicate } });
  }
  await putPolicies(ports.db, installationId, changes, ports.clock.now());
}
