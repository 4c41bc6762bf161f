import * as z from "zod/mini";

/** An MCP server that is to be a service: part of the body of `POST /services` (protocol.md, "Services of one's own"). */
export const McpRequest = z.looseObject({
  /** Where it is; or `command`, the program and its arguments, which no shell sees. */
  url: z.optional(z.string()),
  command: z.optional(z.array(z.string())),
  /** Where the program runs. */
  folder: z.optional(z.string()),
  /** Names of what the program is given of the environment of kay's own backend, such as `GITHUB_TOKEN`. */
  env: z.optional(z.array(z.string())),
  /** Name of the service; by default the server's own. */
  name: z.optional(z.string()),
  /** The header that takes the pasted key, where that is not a bearer token. */
  key_header: z.optional(z.string()),
  /** Id of an OAuth client that was registered by hand, for an authorization server that registers none by itself. */
  client_id: z.optional(z.string()),
});
export type McpRequest = z.infer<typeof McpRequest>;

/** Body of `POST /services/:name/approve`. */
export const ApproveRequest = z.looseObject({
  dry_run: z.optional(z.boolean()),
  /** What was looked at: the `fingerprint` of the answer to a dry run. Something else by now is not taken. */
  expected: z.optional(z.string()),
});
export type ApproveRequest = z.infer<typeof ApproveRequest>;

/** Bodies of the services that people describe themselves (protocol.md, "Services of one's own"; the file's format is docs/services.md). */

/** Body of `POST /services`. */
export const AddServiceRequest = z.looseObject({
  /** The description, YAML or JSON; or an MCP server instead. */
  source: z.optional(z.string()),
  mcp: z.optional(McpRequest),
  /** For an MCP server: what was looked at, the `fingerprint` of the answer to a dry run. Something else by now is not taken. */
  expected: z.optional(z.string()),
  /** Only check it and say what would change. */
  dry_run: z.optional(z.boolean()),
  /** Where nobody is signed in: the installation to add it to, as long as nobody ever signed in to that; without it a new one. */
  session_id: z.optional(z.nullable(z.string())),
});
export type AddServiceRequest = z.infer<typeof AddServiceRequest>;

/** A described service in short: what a person looks at before it is added. */
export const CustomServiceView = z.looseObject({
  name: z.string(),
  title: z.string(),
  base_url: z.string(),
  /** How its person signs in: oauth2, bearer, api_key, basic or none. */
  sign_in: z.string(),
  tools: z.array(
    z.looseObject({
      name: z.string(),
      access: z.string(),
      /** Of a described service. */
      method: z.optional(z.string()),
      path: z.optional(z.string()),
      /** Of an MCP server, in its own words. */
      description: z.optional(z.string()),
    }),
  ),
  /** Set for an MCP server: how it names itself, and its command and folder where it is a program. */
  mcp: z.optional(
    z.looseObject({
      server: z.optional(z.string()),
      command: z.optional(z.string()),
      folder: z.optional(z.string()),
      /** Names of what the program is given of the environment of kay's own backend. */
      env: z.optional(z.array(z.string())),
    }),
  ),
});
export type CustomServiceView = z.infer<typeof CustomServiceView>;

/** Answer of `POST /services`. */
export const AddServiceResponse = z.looseObject({
  service: CustomServiceView,
  outcome: z.enum(["added", "replaced", "unchanged"]),
  /** Sentences: what is different from the description that was there, and what is forgotten for it. */
  changes: z.array(z.string()),
  dry_run: z.boolean(),
  /** For an MCP server: names exactly these tools at exactly this place. */
  fingerprint: z.optional(z.string()),
  /** For an MCP server: its person is connected, since it takes no sign-in. */
  connected: z.optional(z.boolean()),
  session_id: z.optional(z.string()),
});
export type AddServiceResponse = z.infer<typeof AddServiceResponse>;

/** Answer of `DELETE /services/:name`. */
export const RemoveServiceResponse = z.looseObject({
  service: z.string(),
  removed: z.boolean(),
  message: z.optional(z.string()),
});
export type RemoveServiceResponse = z.infer<typeof RemoveServiceResponse>;

/** Answer of `GET /services/:name/description`. */
export const DescriptionResponse = z.looseObject({
  name: z.string(),
  /** As it was given. */
  source: z.string(),
  /** As it was read. */
  description: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  updated_at: z.string(),
});
export type DescriptionResponse = z.infer<typeof DescriptionResponse>;
