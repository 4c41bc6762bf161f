import * as z from "zod/mini";
import { withDescription } from "../service.ts";
import type { Property, ToolDescription } from "./description.ts";

/** Converts a custom tool's input, a JSON Schema of a flat object, to a schema. */
export function toInputSchema(input: ToolDescription["input"]): z.ZodMiniType<Record<string, unknown>> {
  const { properties = {}, required = [] } = input ?? {};
  const fields = Object.entries(properties).map(([name, property]) => {
    const schema = toFieldSchema(property);
    return [name, required.includes(name) ? schema : addDescription(z.optional(schema), property)] as const;
  });
  return z.object(Object.fromEntries(fields));
}

function toFieldSchema(property: Property): z.ZodMiniType {
  const { type, items, maxItems } = property;
  const createListSchema = () =>
    z.array(toScalarSchema(items?.type ?? "string", { ...items })).check(z.maxLength(maxItems ?? MAX_ITEMS));
  return addDescription(type === "array" ? createListSchema() : toScalarSchema(type, property), property);
}

type Rules = Partial<Pick<Property, "enum" | "minimum" | "maximum" | "minLength" | "maxLength">>;

function toScalarSchema(type: string, rules: Rules): z.ZodMiniType {
  if (type === "boolean") return z.boolean();
  if (type === "integer" || type === "number") {
    const { minimum, maximum } = rules;
    return (type === "integer" ? z.int() : z.number()).check(
      ...(minimum === undefined ? [] : [z.minimum(minimum)]),
      ...(maximum === undefined ? [] : [z.maximum(maximum)]),
    );
  }
  if (rules.enum) return z.enum(rules.enum);
  const { minLength = 0, maxLength = MAX_TEXT_LENGTH } = rules;
  return z.string().check(...(minLength > 0 ? [z.minLength(minLength)] : []), z.maxLength(maxLength));
}

/** Passes description and format on to models and the planner. The service itself validates the format. */
function addDescription<T extends z.ZodMiniType>(schema: T, { description, format }: Property): T {
  if (description !== undefined) withDescription(schema, description);
  if (format !== undefined) z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), format });
  return schema;
}

const MAX_TEXT_LENGTH = 100_000;
const MAX_ITEMS = 200;
