import * as z from "zod/mini";

/**
 * Answer of `GET /status`: a node as its operator sees it (docs/operating.md says who may see it). Other callers get
 * only the required fields, from `GET /health`.
 */
export const StatusResponse = z.looseObject({
  /** `ok`, or `degraded` while the database is away. */
  status: z.enum(["ok", "degraded"]),
  version: z.string(),
  /** URL that was queried. */
  url: z.string(),
  /** Whether the services are local stand-ins of the sandbox. */
  sandbox: z.boolean(),
  /** URL that browsers use. */
  public_url: z.optional(z.string()),
  pid: z.optional(z.number()),
  started_at: z.optional(z.string()),
  /** Uptime in seconds. */
  uptime: z.optional(z.number()),
  /** Configured model; empty if unknown. */
  model: z.optional(z.string()),
  database: z.optional(
    z.looseObject({
      status: z.enum(["ok", "away"]),
      /** Host and name of the database, or `own` for kay's embedded Postgres. */
      place: z.string(),
      /** Connections in this node's pool, how many are idle, and how many queries are waiting for one. */
      connections: z.looseObject({ open: z.number(), idle: z.number(), waiting: z.number() }),
    }),
  ),
  /** Number of this node in its database; absent if the database is unavailable. */
  node: z.optional(z.number()),
  /** Number of live nodes. */
  nodes: z.optional(z.number()),
  /** Unfinished generations of all nodes, counted by status. */
  generations: z.optional(z.record(z.string(), z.number())),
  /** Generations that this node is working on, and clients that follow a conversation on it. */
  here: z.optional(z.looseObject({ working: z.number(), followers: z.number() })),
  /** Memory in bytes. */
  memory: z.optional(z.looseObject({ rss: z.number(), heap_used: z.number() })),
});
export type StatusResponse = z.infer<typeof StatusResponse>;

/** Paths of the status and the metrics. */
export const STATUS_PATH = "/status";
export const METRICS_PATH = "/metrics";
