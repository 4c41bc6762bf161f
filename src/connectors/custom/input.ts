import * as z from "zod/mini";
import { withDescription } from "../service.ts";
import type { Property, ToolDescription } from "./description.ts";

/** The schema of a described tool's input, from its JSON Schema of a flat object. */
export function toInputSchema(input: ToolDescription["input"]): z.ZodMiniType<Record<string, unknown>> {
  const { properties = {}, required = [] } = input ?? {};
  const fields = Object.entries(properties).map(([name, property]) => {
    const schema = toFieldSchema(property);
    return [name, required.includes(name) ? schema : describe(z.optional(schema), property)] as const;
  });
  return z.object(Object.fromEntries(fields));
}

function toFieldSchema(property: Property): z.ZodMiniType {
  const { type, items, maxItems } = property;
  const list = () => z.array(scalar(items?.type ?? "string", { ...items })).check(z.maxLength(maxItems ?? MOST_ITEMS));
  return describe(type === "array" ? list() : scalar(type, property), property);
}

type Rules = Partial<Pick<Property, "enum" | "minimum" | "maximum" | "minLength" | "maxLength">>;

function scalar(type: string, rules: Rules): z.ZodMiniType {
  if (type === "boolean") return z.boolean();
  if (type === "integer" || type === "number") {
    const { minimum, maximum } = rules;
    return (type === "integer" ? z.int() : z.number()).check(
      ...(minimum === undefined ? [] : [z.minimum(minimum)]),
      ...(maximum === undefined ? [] : [z.maximum(maximum)]),
    );
  }
  if (rules.enum) return z.enum(rules.enum);
  const { minLength = 0, maxLength = LONGEST_TEXT } = rules;
  return z.string().check(...(minLength > 0 ? [z.minLength(minLength)] : []), z.maxLength(maxLength));
}

/** The words and the format travel to models and the planner; the format itself is the service's to check. */
function describe<T extends z.ZodMiniType>(schema: T, { description, format }: Property): T {
  if (description !== undefined) withDescription(schema, description);
  if (format !== undefined) z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), format });
  return schema;
}

const LONGEST_TEXT = 100_000;
const MOST_ITEMS = 200;
