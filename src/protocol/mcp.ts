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
