import * as z from "zod/mini";
import { Receipt } from "./ask.ts";
import { Connection } from "./connections.ts";

/**
 * Bodies for services and tools (docs/protocol.md, "Services and tools"). Objects are loose: unknown fields pass
 * through.
 */

const names = z.array(z.string());

/**
 * How to use your own OAuth client for a service.
 */
const ClientPlace = z.looseObject({
  provider: z.string(),
  configured: z.boolean(),
  /** Environment variables of the backend. */
  variables: names,
  /** Keys for `kay config set`, used by the local backend. */
  settings: names,
  /** Redirect URI to register with the client. */
  redirect_uri: z.string(),
  /** URL of the consent page, without parameters; absent if the service cannot be connected. */
  authorize_url: z.optional(z.string()),
});

/** One service of `GET /services`. `user`, `metadata` and `reason` are as in `GET /connections`. */
export const ServiceView = z.extend(Connection, {
  name: z.string(),
  title: z.optional(z.string()),
  state: z.enum(["connected", "not_connected", "not_configured"]),
  /** Whether it is a sandbox stand-in or the real service; absent if the service cannot be connected. */
  target: z.optional(z.enum(["sandbox", "real"])),
  scopes: z.optional(z.looseObject({ wanted: names, granted: names })),
  client: z.optional(ClientPlace),
  /** Whether it is a custom service. */
  described: z.optional(z.boolean()),
  /** Custom services only: address of the service. */
  base_url: z.optional(z.string()),
  /** Custom services only: oauth2, bearer, api_key, basic or none. */
  sign_in: z.optional(z.string()),
  /** MCP servers only. */
  mcp: z.optional(
    z.looseObject({
      /** Command of a local program. */
      command: z.optional(z.string()),
      /** Names of environment variables that the local backend passes to the program. */
      env: z.optional(names),
      /** Sentences about tools that changed since they were approved. */
      changes: names,
    }),
  ),
  tools: z.optional(names),
});
export type ServiceView = z.infer<typeof ServiceView>;

/** Answer of `GET /services`. */
export const ServicesResponse = z.looseObject({ services: z.array(ServiceView) });
export type ServicesResponse = z.infer<typeof ServicesResponse>;

/**
 * A list in a tool's result whose entries a session offers after `@`: the input that returns it, and its place. `name` and `note`
 * are texts with fields of an entry: `{repository}#{number}`.
 */
export const MentionList = z.looseObject({
  input: z.record(z.string(), z.unknown()),
  list: z.string(),
  name: z.string(),
  note: z.string(),
});
export type MentionList = z.infer<typeof MentionList>;

/** One tool of `GET /tools` and `GET /tools/:name`. */
export const ToolView = z.looseObject({
  /** Full name, such as `jira.search`. */
  name: z.string(),
  service: z.string(),
  /** Display name of the service. */
  title: z.optional(z.string()),
  description: z.string(),
  access: z.enum(["read", "write", "destructive"]),
  /** JSON Schema of the input. */
  input_schema: z.record(z.string(), z.unknown()),
  /** Plain requests that the tool handles. `{slot}` stands for an input field. */
  examples: z.optional(names),
  connected: z.optional(z.boolean()),
  mentions: z.optional(z.array(MentionList)),
});
export type ToolView = z.infer<typeof ToolView>;

/** Answer of `GET /tools`. */
export const ToolsResponse = z.looseObject({ tools: z.array(ToolView) });
export type ToolsResponse = z.infer<typeof ToolsResponse>;

/** Body of `POST /tools/:name/call`. */
export const ToolCallRequest = z.looseObject({
  input: z.optional(z.record(z.string(), z.unknown())),
  /** IANA name of the user's time zone, in which days and local times are meant. */
  time_zone: z.optional(z.string().check(z.maxLength(64))),
});

/** Answer of `POST /tools/:name/call`. */
export const ToolCallResponse = z.looseObject({
  tool: z.string(),
  output: z.looseObject({ data: z.unknown(), text: z.string(), url: z.optional(z.string()) }),
  receipts: z.array(Receipt),
});
export type ToolCallResponse = z.infer<typeof ToolCallResponse>;
