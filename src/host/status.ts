import { decideModel } from "#agent/models/decision";
import type { Backend, BackendPorts } from "#backend/ports";
import type { StatusResponse } from "#protocol/status";
import type { PoolCounts } from "./metrics.ts";
import type { OperatorView } from "./operator.ts";
import type { Telemetry } from "./telemetry.ts";

/** Sources of the status. */
type StatusSources = {
  ports: Pick<BackendPorts, "clock" | "node" | "model" | "version" | "sandbox" | "publicUrl">;
  backend: Backend;
  database: { pool: PoolCounts; place: string };
  url: string;
  /** In ms since the epoch. */
  startedAt: number;
  pid: number;
  /** In bytes. */
  memory: (() => { rss: number; heapUsed: number }) | undefined;
};

/** Creates the operator's view of this process. */
export function createOperatorView(sources: StatusSources, telemetry: Telemetry | undefined): OperatorView {
  return { status: () => getStatus(sources), ...(telemetry ? { metrics: telemetry.metrics.text } : {}) };
}

/** Returns the status of this node. Waits at most two seconds for an unreachable database. */
async function getStatus({
  ports,
  backend,
  database: { pool, place },
  url,
  startedAt,
  pid,
  memory,
}: StatusSources): Promise<StatusResponse> {
  const [{ shared, working, followers }, model] = await Promise.all([
    backend.status(),
    decideModel(ports.model()).then(
      ({ name }) => name,
      () => "",
    ),
  ]);
  const usage = memory?.();
  const node = shared && (await ports.node.number().catch(() => undefined));
  return {
    status: shared ? "ok" : "degraded",
    version: ports.version,
    url,
    sandbox: ports.sandbox,
    public_url: ports.publicUrl,
    pid,
    started_at: new Date(startedAt).toISOString(),
    uptime: Math.round((ports.clock.now() - startedAt) / 1_000),
    model,
    database: {
      status: shared ? "ok" : "away",
      place,
      connections: { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
    },
    ...(node === undefined ? {} : { node }),
    ...(shared ? { nodes: shared.nodes, generations: shared.generations } : {}),
    here: { working, followers },
    ...(usage ? { memory: { rss: usage.rss, heap_used: usage.heapUsed } } : {}),
  };
}
