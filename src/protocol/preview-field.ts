import * as z from "zod/mini";

/**
 * One field that the call would send. `origin` says who wrote the value: the user all of it, others perhaps, or the
 * model before it read anything of others. Clients warn about `service`.
 */
export const PreviewField = z.looseObject({
  name: z.string(),
  value: z.unknown(),
  origin: z.optional(z.enum(["person", "service", "model"])),
  /** The source that the model read and that holds the value or a part of it: `KAY-15`. */
  source: z.optional(z.string()),
  /** The user's words that differ from the value by a letter or two. */
  resembles: z.optional(z.string()),
});
export type PreviewField = z.infer<typeof PreviewField>;
