import { describeModel } from "#backend/models/describe";
import type { Backend, BackendPorts } from "#backend/ports";
import type { StatusResponse } from "#protocol/status";
import type { PoolCounts } from "./metrics.ts";

/** What the status of a process is made of. */
export type StatusOf = {
  ports: Pick<BackendPorts, "clock" | "node" | "model" | "version" | "sandbox" | "publicUrl">;
  backend: Backend;
  pool: PoolCounts;
  /** Where the database is, without user and password. */
  place: string;
  url: string;
  /** Milliseconds, of the clock. */
  startedAt: number;
  memory(): { pid: number; rss: number; heapUsed: number };
};

/** A node as its operator sees it. Nothing in it waits for a database that is away for longer than two seconds. */
export async function statusOf({
  ports,
  backend,
  pool,
  place,
  url,
  startedAt,
  memory,
}: StatusOf): Promise<StatusResponse> {
  const [{ shared, working, followers }, model] = await Promise.all([
    backend.status(),
    describeModel(ports.model()).then(
      ({ name }) => name,
      () => "",
    ),
  ]);
  const { pid, rss, heapUsed } = memory();
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
    memory: { rss, heap_used: heapUsed },
  };
}
