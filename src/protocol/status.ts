import * as z from "zod/mini";

/**
 * `GET /status`: a node as its operator sees it (docs/operating.md says who may). Without a right to it, `kay serve --status` has what
 * `GET /health` tells: the fields that are not optional.
 */
export const StatusResponse = z.looseObject({
  /** `ok`, or `degraded` while the database is away. */
  status: z.enum(["ok", "degraded"]),
  version: z.string(),
  /** Where it was asked. */
  url: z.string(),
  /** Whether services are stand-ins of the sandbox. */
  sandbox: z.boolean(),
  /** Where browsers reach it. */
  public_url: z.optional(z.string()),
  pid: z.optional(z.number()),
  started_at: z.optional(z.string()),
  /** Seconds. */
  uptime: z.optional(z.number()),
  /** The model that answers, as it is set; empty while it cannot be told. */
  model: z.optional(z.string()),
  database: z.optional(
    z.looseObject({
      status: z.enum(["ok", "away"]),
      /** Host and name of the database, or `own` for kay's own Postgres. */
      place: z.string(),
      /** Connections of this node's pool, those that are idle, and queries that wait for one. */
      connections: z.looseObject({ open: z.number(), idle: z.number(), waiting: z.number() }),
    }),
  ),
  /** Number of this node among those of its database; absent while that is away. */
  node: z.optional(z.number()),
  /** How many nodes live. */
  nodes: z.optional(z.number()),
  /** Generations of all nodes that are not over, by their status. */
  generations: z.optional(z.record(z.string(), z.number())),
  /** Generations that this node works on, and who follows a conversation at it. */
  here: z.optional(z.looseObject({ working: z.number(), followers: z.number() })),
  /** Bytes. */
  memory: z.optional(z.looseObject({ rss: z.number(), heap_used: z.number() })),
});
export type StatusResponse = z.infer<typeof StatusResponse>;

/** Path of the status, and of the metrics. */
export const STATUS_PATH = "/status";
export const METRICS_PATH = "/metrics";
