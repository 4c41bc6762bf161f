import * as z from "zod/mini";

/** An MCP server to add as a service, in the body of `POST /services` (docs/protocol.md). */
export const McpRequest = z.looseObject({
  /** URL of the server. Use either `url` or `command`, or neither with a `name` such as `linear@work`: an account of `linear`. */
  url: z.optional(z.string()),
  /** Program and arguments of a local server, which runs without a shell. */
  command: z.optional(z.array(z.string())),
  /** Working directory of the program. */
  folder: z.optional(z.string()),
  /** Names of environment variables that the local backend passes to the program, such as `GITHUB_TOKEN`. */
  env: z.optional(z.array(z.string())),
  /** Name of the service (default: the server's own name). */
  name: z.optional(z.string()),
  /** Header for the pasted key, if it is not a bearer token. */
  key_header: z.optional(z.string()),
  /** ID of an OAuth client registered by hand, for an authorization server without dynamic registration. */
  client_id: z.optional(z.string()),
  /** Secret of that client. Without it, the one that is stored for the same server and client stays. */
  client_secret: z.optional(z.string()),
});
export type McpRequest = z.infer<typeof McpRequest>;

/** Body of `POST /services/:name/approve`. */
export const ApproveRequest = z.looseObject({
  dry_run: z.optional(z.boolean()),
  /** `fingerprint` from the reviewed dry run. The request fails if the tools have changed since. */
  expected: z.optional(z.string()),
  /** Run the tools that the server marks as reads without an approval. Omitted: as before, and new ones ask. */
  trust_reads: z.optional(z.boolean()),
});
export type ApproveRequest = z.infer<typeof ApproveRequest>;

/** Bodies for custom services (docs/protocol.md; docs/services.md has the file format). */

/** Body of `POST /services`. */
export const AddServiceRequest = z.looseObject({
  /** Description of the service, in YAML or JSON. Use either `source` or `mcp`. */
  source: z.optional(z.string()),
  mcp: z.optional(McpRequest),
  /** MCP only: `fingerprint` from the reviewed dry run. The request fails if the tools have changed since. */
  expected: z.optional(z.string()),
  /** MCP only: as in `ApproveRequest`. */
  trust_reads: z.optional(z.boolean()),
  /** Check the service and return the changes without storing anything. */
  dry_run: z.optional(z.boolean()),
  /** Without a sign-in: an installation that has never signed in. If omitted, a new one is created. */
  session_id: z.optional(z.nullable(z.string())),
});
export type AddServiceRequest = z.infer<typeof AddServiceRequest>;

/** Summary of a custom service, for review before it is added. */
export const CustomServiceView = z.looseObject({
  name: z.string(),
  title: z.string(),
  base_url: z.string(),
  /** Sign-in method: oauth2, bearer, api_key, basic or none. */
  sign_in: z.string(),
  tools: z.array(
    z.looseObject({
      name: z.string(),
      access: z.string(),
      /** Described services only: HTTP method. */
      method: z.optional(z.string()),
      /** Described services only: path of the request. */
      path: z.optional(z.string()),
      /** MCP servers only: description given by the server, as a model gets it. */
      description: z.optional(z.string()),
      /** MCP servers only: access that the server claims, if kay asks for more approvals than that needs. */
      claim: z.optional(z.string()),
      /** MCP servers only: the text about each parameter that a model gets, by its path. */
      parameters: z.optional(z.array(z.looseObject({ name: z.string(), text: z.string() }))),
    }),
  ),
  /** MCP servers only. */
  mcp: z.optional(
    z.looseObject({
      /** Name that the server gives itself. */
      server: z.optional(z.string()),
      /** Command of a local program. */
      command: z.optional(z.string()),
      /** Working directory of a local program. */
      folder: z.optional(z.string()),
      /** Names of environment variables that the local backend passes to the program. */
      env: z.optional(z.array(z.string())),
    }),
  ),
});
export type CustomServiceView = z.infer<typeof CustomServiceView>;

/** Answer of `POST /services`. */
export const AddServiceResponse = z.looseObject({
  service: CustomServiceView,
  outcome: z.enum(["added", "replaced", "unchanged"]),
  /** Sentences that list the differences from the previous description, and what is forgotten because of them. */
  changes: z.array(z.string()),
  dry_run: z.boolean(),
  /** MCP servers only: identifies the server's address, sign-in and tools. */
  fingerprint: z.optional(z.string()),
  /** MCP servers only: true if the service is connected already, because it needs no sign-in. */
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
  /** Description as submitted. */
  source: z.string(),
  /** Description as parsed. */
  description: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  updated_at: z.string(),
});
export type DescriptionResponse = z.infer<typeof DescriptionResponse>;

/** Answer of `GET /auth/client`: OAuth client metadata (OAuth Client ID Metadata Document, section 4). */
export const ClientDocument = z.looseObject({
  client_id: z.string(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  grant_types: z.optional(z.array(z.string())),
  response_types: z.optional(z.array(z.string())),
  token_endpoint_auth_method: z.optional(z.string()),
  application_type: z.optional(z.string()),
});
export type ClientDocument = z.infer<typeof ClientDocument>;
