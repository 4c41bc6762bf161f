import { Hono } from "hono";
import { testModel } from "#agent/models/test";
import { describeModel } from "#agent/models/view";
import { authenticate } from "../accounts/authenticate.ts";
import type { BackendPorts } from "../ports.ts";

/** Which model answers and why (`GET /model`), and whether it works (`POST /model/test`). */
export function createModelRoutes(ports: BackendPorts): Hono {
  const app = new Hono();
  app.get("/model", async (c) => {
    await admit(ports, c.req.raw);
    return c.json(await describeModel(ports.model()));
  });
  app.post("/model/test", async (c) => {
    await admit(ports, c.req.raw);
    return c.json(await testModel(ports, c.req.raw.signal));
  });
  return app;
}

/** Who has the local secret, which every request to this backend was asked for, is its owner: the model may be seen before the first sign-in. */
async function admit(ports: BackendPorts, request: Request): Promise<void> {
  if (ports.localSecret === undefined) await authenticate(ports, request);
}
