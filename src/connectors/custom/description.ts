import * as z from "zod/mini";
import { clean } from "#protocol/clean";
import { withDescription } from "../tool.ts";

/**
 * A place in a response: names and indexes separated by dots, `data.tasks.0.id`; `$` is the whole response. A small
 * subset of JSONPath (RFC 9535) without searches.
 */
const PATH_PATTERN = /^(?:\$|(?:\$\.)?[\w-]+(?:\.[\w-]+)*)$/;

/** `{places}` in a template for a response. */
export const PATH_SLOT_PATTERN = /\{(\$|[\w-]+(?:\.[\w-]+)*)\}/g;

/** Returns the value at a place of a response. Reads only own properties. */
export function getAtPath(answer: unknown, place: string): unknown {
  const steps = place
    .replace(/^\$\.?/, "")
    .split(".")
    .filter(Boolean);
  return steps.reduce<unknown>((inner, step) => {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, step)) return undefined;
    return (inner as Record<string, unknown>)[step];
  }, answer);
}

/** Largest description file in bytes, and the maximum number of tools. */
export const MAX_SOURCE_BYTES = 256 * 1024;
const MAX_TOOLS = 60;
const MAX_FIELDS = 40;

/** One line of text without control or invisible characters. */
function createLineSchema(longest: number) {
  return z.string().check(
    z.refine((text) => text.trim() !== "", "must not be empty"),
    z.refine((text) => text.length <= longest, `must have at most ${longest} characters`),
    z.refine((text) => clean(text, { lines: false }) === text, "must not contain control or invisible characters"),
  );
}

function createPatternSchema(pattern: RegExp, message: string) {
  return z.string().check(z.regex(pattern, message));
}

const createUrlSchema = () =>
  createPatternSchema(/^https?:\/\/[^\s{}\\]+$/, "must be a URL that begins with https:// and has no {slots}");
const createPlaceSchema = () =>
  createPatternSchema(PATH_PATTERN, "must be a place in the response, such as data.tasks or $");
const createHeaderSchema = () =>
  createPatternSchema(/^[A-Za-z0-9-]{1,64}$/, "must be a header name: letters, digits and -");
const createParameterSchema = () =>
  createPatternSchema(/^[\w.[\]-]{1,64}$/, "must be a parameter name: letters, digits, and _ - . [ ]");
const field = createPatternSchema(
  /^[a-z][a-z0-9_]{0,39}$/,
  "must contain only a-z, 0-9 and _, and begin with a letter",
);
const createPrintableSchema = (longest: number) =>
  createPatternSchema(
    new RegExp(`^[\\x20-\\x7e]{0,${longest}}$`),
    `must have at most ${longest} printable ASCII characters`,
  );

const OAuth2 = z.strictObject({
  type: z.literal("oauth2"),
  authorize_url: withDescription(createUrlSchema(), "URL of the consent page, opened in the user's browser."),
  token_url: withDescription(createUrlSchema(), "URL that exchanges codes and refresh tokens."),
  revoke_url: withDescription(
    z.optional(createUrlSchema()),
    "URL that revokes tokens (RFC 7009), called on kay disconnect.",
  ),
  issuer: withDescription(
    z.optional(createUrlSchema()),
    "Issuer that the service names in its answers (RFC 9207). If it names another, kay refuses the answer.",
  ),
  client_id: createPrintableSchema(300),
  client_auth: withDescription(
    z.optional(z.enum(["client_secret_post", "client_secret_basic", "none"])),
    "How the client authenticates. Default: none, for a public client without a secret.",
  ),
  scopes: z.optional(z.array(createPrintableSchema(200)).check(z.maxLength(60))),
  scope_parameter: z.optional(createParameterSchema()),
  scope_separator: z.optional(z.enum([" ", ","])),
  authorize_params: z.optional(z.record(createParameterSchema(), createPrintableSchema(300))),
  pkce: withDescription(z.optional(z.boolean()), "Whether to use an S256 challenge (RFC 7636). Default: true."),
  refresh: withDescription(
    z.optional(z.enum(["rotating", "stable", "none"])),
    "Whether a refresh replaces the refresh token. Default: rotating.",
  ),
  token_body: z.optional(z.enum(["form", "json"])),
});

const ApiKey = z.strictObject({
  type: z.literal("api_key"),
  header: z.optional(withDescription(createHeaderSchema(), "Header that carries the key.")),
  query: z.optional(
    withDescription(createParameterSchema(), "Query parameter that carries the key, if the service accepts no header."),
  ),
  prefix: z.optional(
    withDescription(createPrintableSchema(40), "Text before the key in the header, including the space."),
  ),
});

const Auth = z.discriminatedUnion("type", [
  OAuth2,
  z.strictObject({ type: z.literal("bearer") }),
  ApiKey,
  z.strictObject({ type: z.literal("basic") }),
  z.strictObject({ type: z.literal("none") }),
]);

const Identify = z.strictObject({
  path: withDescription(
    createPatternSchema(/^\//, "must begin with /"),
    "A GET request that returns the owner of the key or token.",
  ),
  account: withDescription(createPlaceSchema(), "Place of the account's ID in the response."),
  name: z.optional(createPlaceSchema()),
  email: z.optional(createPlaceSchema()),
});

const Scalar = z.enum(["string", "integer", "number", "boolean"]);
const Choice = z.array(z.string()).check(z.minLength(1), z.maxLength(100));
const bounds = {
  minimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  minLength: z.optional(z.number()),
  maxLength: z.optional(z.number()),
};

const Property = z.strictObject({
  type: z.enum(["string", "integer", "number", "boolean", "array"]),
  description: z.optional(createLineSchema(300)),
  enum: z.optional(Choice),
  format: z.optional(z.enum(["date", "date-time", "email", "uri"])),
  ...bounds,
  items: z.optional(z.strictObject({ type: Scalar, enum: z.optional(Choice) })),
  maxItems: z.optional(z.number()),
});
/** JSON Schema of one input field. */
export type Property = z.infer<typeof Property>;

const Input = z.strictObject({
  type: z.optional(z.literal("object")),
  properties: z
    .record(field, Property)
    .check(z.refine((all) => Object.keys(all).length <= MAX_FIELDS, `must have at most ${MAX_FIELDS} fields`)),
  required: z.optional(z.array(z.string())),
  additionalProperties: z.optional(z.literal(false)),
});

const Result = z.strictObject({
  items: z.optional(withDescription(createPlaceSchema(), "Place of the list in the response.")),
  columns: z.optional(
    withDescription(
      z.record(createLineSchema(40), createPlaceSchema()),
      "Column headings, each with the place of its value in an entry.",
    ),
  ),
  url: z.optional(
    withDescription(z.string(), "Page that shows the result to the user; {places} come from the response."),
  ),
  summary: z.optional(
    withDescription(
      createLineSchema(300),
      "First line of the result; {places} come from the response, {count} is the length of a list.",
    ),
  ),
});

const Value = z.union([z.string(), z.number(), z.boolean()]);

const ToolDescription = z.strictObject({
  name: withDescription(z.string(), "service.verb_object"),
  description: withDescription(createLineSchema(600), "One or two sentences, for models and users."),
  access: withDescription(
    z.enum(["read", "write", "destructive"]),
    "destructive means it cannot be undone; kay always asks first.",
  ),
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  path: withDescription(z.string(), "Path below base_url; a {slot} is a field of the input."),
  query: z.optional(z.record(createParameterSchema(), Value)),
  headers: z.optional(z.record(createHeaderSchema(), z.string())),
  body: withDescription(
    z.optional(z.record(z.string(), z.unknown())),
    "JSON body; its {slots} are filled from the input.",
  ),
  input: withDescription(z.optional(Input), "JSON Schema of a flat object."),
  examples: withDescription(
    z.array(createLineSchema(200)).check(z.minLength(1), z.maxLength(40)),
    "Example requests for this tool, with {slots}; the offline planner learns from them.",
  ),
  result: z.optional(Result),
  summary: z.optional(
    withDescription(
      createLineSchema(300),
      "One line that says what a call does, for approvals, with {slots}: Add the task {title}.",
    ),
  ),
});
/** One tool of a custom service. */
export type ToolDescription = z.infer<typeof ToolDescription>;

/**
 * The description of a custom service (docs/services.md). It checks shapes only; `check.ts` checks the parts against
 * each other.
 */
export const ServiceDescription = z.strictObject({
  name: withDescription(
    createPatternSchema(
      /^[a-z][a-z0-9-]{1,30}$/,
      "must be 2 to 31 characters of a-z, 0-9 and -, and begin with a letter",
    ),
    "Name in commands: tasks.",
  ),
  title: withDescription(createLineSchema(60), "Display name: Tasks."),
  base_url: withDescription(
    createUrlSchema(),
    "All requests go below this address; the key or token is sent nowhere else.",
  ),
  auth: Auth,
  identify: z.optional(Identify),
  tools: z.array(ToolDescription).check(z.minLength(1), z.maxLength(MAX_TOOLS)),
});
export type ServiceDescription = z.infer<typeof ServiceDescription>;

/** Returns the JSON Schema of a description, for editors. */
export function getDescriptionSchema(): Record<string, unknown> {
  return z.toJSONSchema(ServiceDescription, { io: "input" }) as Record<string, unknown>;
}
