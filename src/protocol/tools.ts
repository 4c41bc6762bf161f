import * as z from "zod/mini";
import { Receipt } from "./ask.ts";
import { Connection } from "./connections.ts";

/** Bodies of what can be connected and done (protocol.md, "Services and tools"). kay's additions, loose as everywhere in the contract. */

const names = z.array(z.string());

/** How to bring one's own OAuth client for a service: variables or settings, and the redirect address to register with it. */
const ClientPlace = z.looseObject({
  provider: z.string(),
  configured: z.boolean(),
  /** Environment variables of the backend. */
  variables: names,
  /** Keys of `kay config set`, for kay's own backend. */
  settings: names,
  redirect_uri: z.string(),
  /** Where the consent page is, without its parameters; absent when the service cannot be connected. */
  authorize_url: z.optional(z.string()),
});

/** One service of `GET /services`. `user`, `metadata` and `reason` are those of `GET /connections`. */
export const ServiceView = z.extend(Connection, {
  name: z.string(),
  title: z.optional(z.string()),
  state: z.enum(["connected", "not_connected", "not_configured"]),
  /** Whether it is a stand-in of the sandbox or the real service; absent when it cannot be connected. */
  target: z.optional(z.enum(["sandbox", "real"])),
  scopes: z.optional(z.looseObject({ wanted: names, granted: names })),
  client: z.optional(ClientPlace),
  /** Set for a service that its person described: where it is, and how one signs in (oauth2, bearer, api_key, basic, none). */
  described: z.optional(z.boolean()),
  base_url: z.optional(z.string()),
  sign_in: z.optional(z.string()),
  /** Set for an MCP server: its command, where it is a program, and what changed since its tools were approved, in sentences. */
  mcp: z.optional(
    z.looseObject({
      command: z.optional(z.string()),
      /** Names of what the program is given of the environment of kay's own backend. */
      env: z.optional(names),
      changes: names,
    }),
  ),
  tools: z.optional(names),
});
export type ServiceView = z.infer<typeof ServiceView>;

/** Answer of `GET /services`. */
export const ServicesResponse = z.looseObject({ services: z.array(ServiceView) });
export type ServicesResponse = z.infer<typeof ServicesResponse>;

/** One tool, as `GET /tools` and `GET /tools/:name` tell it. */
export const ToolView = z.looseObject({
  /** `jira.search`. */
  name: z.string(),
  service: z.string(),
  /** The service's name for people. */
  title: z.optional(z.string()),
  description: z.string(),
  access: z.enum(["read", "write", "destructive"]),
  /** JSON Schema of the input. */
  input_schema: z.record(z.string(), z.unknown()),
  /** Plain requests that it answers; `{slot}` stands for a field of the input. */
  examples: z.optional(names),
  connected: z.optional(z.boolean()),
});
export type ToolView = z.infer<typeof ToolView>;

/** Answer of `GET /tools`. */
export const ToolsResponse = z.looseObject({ tools: z.array(ToolView) });
export type ToolsResponse = z.infer<typeof ToolsResponse>;

/** Body of `POST /tools/:name/call`. */
export const ToolCallRequest = z.looseObject({ input: z.optional(z.record(z.string(), z.unknown())) });

/** Answer of `POST /tools/:name/call`. */
export const ToolCallResponse = z.looseObject({
  tool: z.string(),
  output: z.looseObject({ data: z.unknown(), text: z.string(), url: z.optional(z.string()) }),
  receipts: z.array(Receipt),
});
export type ToolCallResponse = z.infer<typeof ToolCallResponse>;
