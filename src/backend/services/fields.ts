import * as z from "zod/mini";

/** An input field with the words that models and `kay tools show` read. */
export function withDescription<T extends z.ZodMiniType>(schema: T, description: string): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}
