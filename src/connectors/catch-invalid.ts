import type * as z from "zod/mini";
import { $ZodCatch } from "zod/v4/core";

/**
 * Makes a schema that reads an invalid value as `fallback`. `z.catch` does the same, but it makes the bundler put zod's
 * JSON Schema generator into the file that every command with an answer loads.
 */
export function catchInvalid<T extends z.core.$ZodType>(schema: T, fallback: z.core.output<T>): $ZodCatch<T> {
  return new $ZodCatch({ type: "catch", innerType: schema, catchValue: () => fallback }) as $ZodCatch<T>;
}
