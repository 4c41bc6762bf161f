import * as z from "zod/mini";

/**
 * Record of the running local backend (`backend.json` in the state folder, mode 0600). The backend writes it once it
 * listens and removes it when it stops. A record without a process is left over from a crash.
 */
export const EmbeddedRecord = z.looseObject({
  pid: z.number(),
  /** Start of the process as the system reports it, to detect a reused pid; empty if unknown. */
  started: z.string(),
  url: z.string(),
  /** Value of the `Kay-Local-Secret` header that every request must have. */
  secret: z.string(),
  version: z.string(),
  /** HMAC over the environment and settings the backend started with. A different value requires a restart. */
  fingerprint: z.string(),
});
export type EmbeddedRecord = z.infer<typeof EmbeddedRecord>;
