import * as z from "zod/mini";
import { clean } from "#protocol/clean";
import { withDescription } from "../service.ts";

/**
 * A place in the answer of a service: names and numbers between dots, `data.tasks.0.id`; `$` is the answer itself. A small part of JSONPath
 * (RFC 9535) without anything that searches.
 */
const PATH_PATTERN = /^(?:\$|(?:\$\.)?[\w-]+(?:\.[\w-]+)*)$/;

/** `{places}` in a template over an answer. */
export const PATH_SLOT_PATTERN = /\{(\$|[\w-]+(?:\.[\w-]+)*)\}/g;

/** What stands at a place of an answer; only what the answer itself has, never what every object inherits. */
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

/** Longest file of a description, in bytes, and how many tools one may have. */
export const MAX_SOURCE_BYTES = 256 * 1024;
const MOST_TOOLS = 60;
const MOST_FIELDS = 40;

/** Text that people and models read: no control sequences, nothing invisible. */
function line(longest: number) {
  return z.string().check(
    z.refine((text) => text.trim() !== "", "must not be empty"),
    z.refine((text) => text.length <= longest, `must have at most ${longest} characters`),
    z.refine((text) => clean(text, { lines: false }) === text, "has control characters or invisible ones"),
  );
}

function matching(pattern: RegExp, wrong: string) {
  return z.string().check(z.regex(pattern, wrong));
}

const url = () =>
  matching(/^https?:\/\/[^\s{}\\]+$/, "must be an address that begins with https:// and has no {slots}");
const place = () => matching(PATH_PATTERN, "must be a place in the answer, such as data.tasks or $");
const header = () => matching(/^[A-Za-z0-9-]{1,64}$/, "must be the name of a header: letters, digits and -");
const parameter = () =>
  matching(/^[\w.[\]-]{1,64}$/, "must be the name of a parameter: letters, digits, and _ - . [ ]");
const field = matching(/^[a-z][a-z0-9_]{0,39}$/, "must be made of a-z, 0-9 and _, and begin with a letter");
const printable = (longest: number) =>
  matching(new RegExp(`^[\\x20-\\x7e]{0,${longest}}$`), `must have at most ${longest} plain characters (ASCII)`);

const OAuth2 = z.strictObject({
  type: z.literal("oauth2"),
  authorize_url: withDescription(url(), "Where the person's browser goes to consent."),
  token_url: withDescription(url(), "Where codes and refresh tokens are exchanged."),
  client_id: printable(300),
  client_auth: withDescription(
    z.optional(z.enum(["client_secret_post", "client_secret_basic", "none"])),
    "How the client authenticates; none (the default) for a public client, which has no secret.",
  ),
  scopes: z.optional(z.array(printable(200)).check(z.maxLength(60))),
  scope_parameter: z.optional(parameter()),
  scope_separator: z.optional(z.enum([" ", ","])),
  authorize_params: z.optional(z.record(parameter(), printable(300))),
  pkce: withDescription(z.optional(z.boolean()), "S256 challenge (RFC 7636); true unless said otherwise."),
  refresh: withDescription(
    z.optional(z.enum(["rotating", "stable", "none"])),
    "What a refresh does to the refresh token; rotating unless said otherwise.",
  ),
  token_body: z.optional(z.enum(["form", "json"])),
});

const ApiKey = z.strictObject({
  type: z.literal("api_key"),
  header: z.optional(withDescription(header(), "Header that carries the key.")),
  query: z.optional(
    withDescription(parameter(), "Query parameter that carries the key, where the service takes no header."),
  ),
  prefix: z.optional(withDescription(printable(40), "What stands before the key in the header, with its space.")),
});

const Auth = z.discriminatedUnion("type", [
  OAuth2,
  z.strictObject({ type: z.literal("bearer") }),
  ApiKey,
  z.strictObject({ type: z.literal("basic") }),
  z.strictObject({ type: z.literal("none") }),
]);

const Identify = z.strictObject({
  path: withDescription(matching(/^\//, "must begin with /"), "A GET that tells whose key or token it is."),
  account: withDescription(place(), "Where the answer has the account's own id."),
  name: z.optional(place()),
  email: z.optional(place()),
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
  description: z.optional(line(300)),
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
    .check(z.refine((all) => Object.keys(all).length <= MOST_FIELDS, `must have at most ${MOST_FIELDS} fields`)),
  required: z.optional(z.array(z.string())),
  additionalProperties: z.optional(z.literal(false)),
});

const Result = z.strictObject({
  items: z.optional(withDescription(place(), "Where the answer has its list.")),
  columns: z.optional(
    withDescription(z.record(line(40), place()), "Heading of each column, and where an entry has its value."),
  ),
  url: z.optional(withDescription(z.string(), "Where a person looks at it; {places} are those of the answer.")),
  summary: z.optional(withDescription(line(300), "What is told first; {places} of the answer, or {count} for a list.")),
});

const Value = z.union([z.string(), z.number(), z.boolean()]);

const ToolDescription = z.strictObject({
  name: withDescription(z.string(), "service.verb_object"),
  description: withDescription(line(600), "One or two sentences, for models and for people."),
  access: withDescription(
    z.enum(["read", "write", "destructive"]),
    "destructive is what cannot be undone: it always asks.",
  ),
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  path: withDescription(z.string(), "Below base_url; a {slot} is a field of the input."),
  query: z.optional(z.record(parameter(), Value)),
  headers: z.optional(z.record(header(), z.string())),
  body: withDescription(z.optional(z.record(z.string(), z.unknown())), "Sent as JSON, with its {slots} filled."),
  input: withDescription(z.optional(Input), "JSON Schema of a flat object."),
  examples: withDescription(
    z.array(line(200)).check(z.minLength(1), z.maxLength(40)),
    "Plain requests that this tool answers, with {slots}; the offline planner learns from them.",
  ),
  result: z.optional(Result),
  summary: z.optional(
    withDescription(line(300), "What a call does, for approvals, with {slots}: Add the task {title}."),
  ),
});
/** One tool as its person describes it. */
export type ToolDescription = z.infer<typeof ToolDescription>;

/** A service as its person describes it (docs/services.md). Shapes alone; `check.ts` looks at what the parts say to each other. */
export const ServiceDescription = z.strictObject({
  name: withDescription(
    matching(/^[a-z][a-z0-9-]{1,30}$/, "must be 2 to 31 of a-z, 0-9 and -, and begin with a letter"),
    "As typed: tasks.",
  ),
  title: withDescription(line(60), "As people read it: Tasks."),
  base_url: withDescription(url(), "Everything is asked below this address, and the key or token goes nowhere else."),
  auth: Auth,
  identify: z.optional(Identify),
  tools: z.array(ToolDescription).check(z.minLength(1), z.maxLength(MOST_TOOLS)),
});
export type ServiceDescription = z.infer<typeof ServiceDescription>;

/** The JSON Schema of a description, for editors. */
export function getDescriptionSchema(): Record<string, unknown> {
  return z.toJSONSchema(ServiceDescription, { io: "input" }) as Record<string, unknown>;
}
