import * as z from "zod/mini";
import { clean } from "./clean.ts";
import { formatInputFields, listInputFields } from "./input-fields.ts";

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

/** Warns about a value that the user did not write, or that is nearly one that the user wrote. */
export function formatOrigin({
  origin,
  source,
  resembles,
}: Pick<PreviewField, "origin" | "source" | "resembles">): string {
  const notes = [
    ...(resembles === undefined ? [] : [`not the same as “${toLine(resembles)}”`]),
    ...(origin !== "service" ? [] : [source === undefined ? "not from you" : `from ${toLine(source)}, not from you`]),
  ];
  return notes.length > 0 ? ` (${notes.join("; ")})` : "";
}

/** Formats a field in full, inner values by their path, with its warning. */
export function formatPreviewField(field: PreviewField): string {
  const inner = listInputFields(field.value, field.name).filter(({ name }) => name !== "");
  return formatInputFields(inner.map((one) => ({ ...one, note: formatOrigin(field) })));
}

function toLine(text: string): string {
  return clean(text, { lines: false });
}
