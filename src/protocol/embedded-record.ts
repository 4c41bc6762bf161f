import * as z from "zod/mini";

/**
 * The record by which the command line finds the backend that it started for itself (`backend.json` in the state folder, 0600). It is
 * written by the backend once it listens and removed when it ends; a record without its process is left over from a kill.
 */
export const EmbeddedRecord = z.looseObject({
  pid: z.number(),
  /** Start of that process as the system counts it, so that a reused pid is not mistaken for it; empty where it cannot be told. */
  started: z.string(),
  url: z.string(),
  /** Must be in `Kay-Local-Secret` of every request. */
  secret: z.string(),
  version: z.string(),
  /** HMAC over the environment and settings it was started with; another one means: start anew. */
  fingerprint: z.string(),
});
export type EmbeddedRecord = z.infer<typeof EmbeddedRecord>;
