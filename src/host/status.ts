import { decideModel } from "#agent/models/decision";
import type { Backend, BackendPorts } from "#backend/ports";
import type { StatusResponse } from "#protocol/status";
import type { PoolCounts } from "./metrics.ts";
import type { OperatorView } from "./operator.ts";
import type { Telemetry } from "./telemetry.ts";

/** What the status of a process is made of. */
type StatusOf = {
  ports: Pick<BackendPorts, "clock" | "node" | "model" | "version" | "sandbox" | "publicUrl">;
  backend: Backend;
  database: { pool: PoolCounts; place: string };
  url: string;
  /** Milliseconds, of the clock. */
  startedAt: number;
  pid: number;
  /** Bytes. */
  memory: (() => { rss: number; heapUsed: number }) | undefined;
};

/** What an operator may ask this process for. */
export function createOperatorView(of: StatusOf, observing: Telemetry | undefined): OperatorView {
  return { status: () => getStatus(of), ...(observing ? { metrics: observing.metrics.text } : {}) };
}

/** A node as its operator sees it. Nothing in it waits for a database that is away for longer than two seconds. */
async function getStatus({
  ports,
  backend,
  database: { pool, place },
  url,
  startedAt,
  pid,
  memory,
}: StatusOf): Promise<StatusResponse> {
  const [{ shared, working, followers }, model] = await Promise.all([
    backend.status(),
    decideModel(ports.model()).then(
      ({ name }) => name,
      () => "",
    ),
  ]);
  const used = memory?.();
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
    ...(used ? { memory: { rss: used.rss, heap_used: used.heapUsed } } : {}),
  };
}
