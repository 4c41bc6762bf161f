import * as z from "zod/mini";
import type { Clock, Fetch } from "#net/ports";
import type { Interactive } from "./interaction.ts";
import type { Identity, OAuth, OAuthClient } from "./oauth.ts";

/**
 * A service as data: its sign-in, its accounts and its tools. Consent, token refresh, requests and approvals are
 * implemented once, elsewhere. Nothing here depends on whether the API is real or a sandbox.
 */
export type Service = {
  /** Name in commands and on the wire: `jira`. */
  name: string;
  /** Display name: `Jira`. */
  title: string;
  oauth: OAuth;
  /** The real endpoints, used when a client ID is configured. */
  endpoints: Endpoints;
  /** How its API differs from the defaults of the HTTP core. */
  api?: ApiTraits;
  /** How requests carry a secret that the user pasted, for services without OAuth. */
  credential?: Credential;
  /** Replaces `identify` for a token that the user made there and pasted, if that belongs to no user. */
  identifyToken?(http: ServiceHttp): Promise<Identity>;
  /** Returns what differs in an installation elsewhere, by its URL. */
  locate?(url: string): { endpoints: Endpoints; accessPage: string };
  /** Returns the account that consented and its workspace. Called once after each consent, with the new token. */
  identify(http: ServiceHttp): Promise<Identity>;
  tools: Tool[];
};

/** Base URLs by role, without a trailing slash. Every service has `authorize`, `token` and `api`, and may add others. */
export type Endpoints = { authorize: string; token: string; api: string; [role: string]: string };

/**
 * Where a pasted secret goes: a header with a prefix, a query parameter, or HTTP Basic (the secret is then
 * `user:password`). `none` for services without a secret.
 */
export type Credential =
  | { kind: "header"; name: string; prefix: string }
  | { kind: "query"; name: string }
  | { kind: "basic" }
  | { kind: "none" };

/** How a service's API differs from the common case, as data. */
export type ApiTraits = {
  /** Headers of every request, such as the media type or API version. */
  headers?: Record<string, string>;
  /** Statuses that, like 429, guarantee that nothing was done, so the request may be repeated. */
  repeat?: number[];
  /** Pause before such a repetition in ms, if the response specifies none. */
  pause?: number;
  errors?: ApiErrors;
  /** Requests of `http_request` that only read. Every other one is a write. Without a list, all are writes. */
  genericReads?: readonly GenericRead[];
  /** Returns the path below which requests of `http_request` go, for APIs with a prefix for each site. */
  genericBase?(metadata: Record<string, unknown>): string;
};

/** A kind of request that changes nothing: the method, and a pattern for the whole path below the API's address. */
export type GenericRead = { method: "GET" | "POST"; path: RegExp };

/** How an API reports errors by a code in the body. */
export type ApiErrors = {
  /** The body field that holds the code. */
  code: string;
  /** The body field that is false when a success status hides a failure. */
  flag?: string;
  /** The meaning of each code. A code that is not listed means a rejected request. */
  codes: Record<string, ApiError>;
};

/** The HTTP status that a code means, its sentence (without the service's name), and what to do. */
type ApiError = { status: number; message?: string; hint?: string };

/** A service as this backend offers it. Without a client, it is listed as not connected and cannot be connected. */
export type ServiceConfiguration = {
  service: Service;
  endpoints: Endpoints;
  client: OAuthClient | null;
  /** What tokens are bound to if the operator configured another address or sign-in. */
  binding?: string;
  /** Set for custom services. */
  described?: CustomServiceTraits;
  /** Set if the authorization server is discovered when the user connects (MCP authorization). */
  discovers?: Discovery;
};

/** The server that names its authorization server; a client registered by hand, and the issuer that it was first used at. */
type Discovery = { server: string; client?: OAuthClient; issuer?: string };

/** The specifics of a custom service: its transport and what its secrets are bound to. */
type CustomServiceTraits = {
  /** Replaces the backend's default transport. */
  fetch: Fetch;
  /** Identifies address and sign-in. Secrets stored for one binding cannot be decrypted for another. */
  binding: string;
  /** Last segment of its own redirect address, for OAuth. */
  callback?: string | undefined;
  /** The issuer that its authorization responses name, if its description says so. */
  issuer?: string | undefined;
  /** Its OAuth client needs a secret that has not been provided yet. */
  lacksSecret: boolean;
  /**
   * Identifies the owner of a pasted secret if `Service.identify` cannot. @throws Problem AUTH_REQUIRED for a rejected
   * secret
   */
  identify?(secret: string): Promise<Identity>;
  /** Set for an MCP server: its command if it is a local program, and how its tools differ from the approved ones. */
  mcp?: { command?: string; env?: string[]; changes: string[] };
};

/** The access of a tool. `destructive` changes cannot be undone by the same user in the same service. */
export type Access = "read" | "write" | "destructive";

/**
 * When a call needs the user: never, before it runs, or after it ran and before the model continues. The strictest
 * applicable mode applies.
 */
export type ToolMode = "auto" | "confirm_before_execution" | "confirm_after_execution";

/** One operation of a service. Names have the form `service.verb_object`. */
export type Tool<Input extends Record<string, unknown> = Record<string, unknown>> = {
  name: string;
  /** One or two sentences for the model and for `kay tools`. */
  description: string;
  access: Access;
  /** zod/mini schema. Its JSON Schema, with the field descriptions, goes to the model. */
  input: z.ZodMiniType<Input>;
  /** A JSON Schema that replaces that of `input`. `check` then validates the input. */
  schema?: Record<string, unknown>;
  /** Validates an input instead of `input`. @throws Problem INVALID_REQUEST that names the wrong field */
  check?(input: unknown): Input;
  /** Example requests for this tool, from which the offline planner learns. `{slot}` marks an input field. */
  examples: string[];
  /** Returns one line that says exactly what the call does, for approvals and receipts: "Move KAY-3 to Done". */
  summary(input: Input): string;
  /** Default: `auto` for reads, `confirm_before_execution` for everything else. */
  mode?: ToolMode;
  /**
   * Whether a read can carry words of its input to others: a web page, an MCP server, an address that the user added.
   * It asks if the words may come from text that others wrote.
   */
  egress?: boolean;
  /**
   * Reads what the call reaches, in one line, before the user is asked: "“Release 1.4” from Sam Sample". For tools whose
   * input names it by an ID or by a part of its title.
   */
  describeTarget?(input: Input, context: ToolContext): Promise<string>;
  /**
   * Names whom a write reaches, each in one spelling: recipients, channels, repositories. Cards point out those that kay never
   * wrote to before. Without it, the tools of services that the user added reach their service.
   */
  destinations?(input: Input): string[];
  /**
   * Its field `attachments` names files of the conversation. A call gets them as references that also hold their type,
   * size and hash, so that exactly the files that were approved are sent.
   */
  takesAttachments?: boolean;
  /** The call stays in memory while the user is asked, because the server keeps a connection open meanwhile. */
  suspendable?: boolean;
  /** Returns a stricter mode for some inputs, such as a mention of everyone. */
  modeOf?(input: Input): ToolMode | undefined;
  /**
   * Returns the scope of a saved approval as a phrase with its preposition: `to #general`, `in project KAY`. It ends
   * the approval's text, as in "slack.send_message to #general".
   *
   * It depends only on the input, is the same for every spelling of the same place, and never names less than the call
   * reaches. If it is absent or returns undefined, a saved approval covers only the same arguments.
   */
  resource?(input: Input): string | undefined;
  run(input: Input, context: ToolContext): Promise<ToolResult>;
};

/** The context of a tool call. `http` adds the service's token, base URL, retries and error handling. */
export type ToolContext = {
  http: ServiceHttp;
  /** The `metadata` of the connection. */
  metadata: Record<string, unknown>;
  signal: AbortSignal;
  /** For writes: sent as the service's idempotency key if it supports one. */
  idempotencyKey: string;
  /** Defines "today" and "now". */
  clock: Clock;
  /** Loads the files that the references in `attachments` name. Absent when a tool runs outside kay. */
  loadAttachments?(references: string[]): Promise<FileContent[]>;
  /** Asks the user and logs progress. Absent when a tool runs outside kay. */
  people?: Interactive;
  /** For services that do not use `http`. Absent when a tool runs outside kay. */
  raw?: RawAccess;
};

/** A file to be sent to a service. */
export type FileContent = { name: string; type: string; bytes: Uint8Array };

/** The services of the HTTP core, for connectors with their own transport. */
export type RawAccess = {
  /** Returns the current token. @throws Problem AUTH_REQUIRED */
  token(): Promise<string>;
  /** Returns a new token after the service refused this one. @throws Problem AUTH_REQUIRED */
  rejected(token: string): Promise<string>;
  /**
   * Reports that the token lacks these scopes; the next consent asks for them. @throws Problem AUTH_REQUIRED, always
   */
  lacks(scopes: string[]): Promise<never>;
  /** Must be awaited before the first byte of a write leaves. */
  sent(): Promise<void>;
  /** Reports that the request had no effect and will be sent again. */
  unsent(): Promise<void>;
  /** Reports that a write succeeded. */
  wrote(): void;
  task: TaskKeeper;
};

/**
 * Keeps the handle of a task: work that a service goes on with by itself after it accepted a call. Whoever makes the call
 * again, after a restart or at another node, asks for that task instead of starting another one.
 */
export type TaskKeeper = {
  /** Returns the handle that was stored for this call. */
  find(): Promise<string | undefined>;
  keep(handle: string): Promise<void>;
  /** Aborts with a `Cancellation` when the user cancels the call. Any other abort leaves the task alone. */
  signal: AbortSignal;
};

/**
 * The result of a tool: `data` trimmed for a model, `text` as Markdown for the user, `url` of the page that shows it.
 */
export type ToolResult = { data: unknown; text: string; url?: string };

/**
 * The HTTP core for services: base URL, authentication, JSON, bounded retries after 429 and 5xx, and errors of the
 * error table. Paths are relative to the `api` endpoint unless `endpoint` names another role.
 */
export type ServiceHttp = {
  request<T>(request: ServiceRequest<T>): Promise<T>;
  endpoints: Endpoints;
};

export type ServiceRequest<T> = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `/rest/api/3/search/jql`, or an absolute URL of the same origin (paging links). */
  path: string;
  endpoint?: string;
  query?: Record<string, string | number | boolean | undefined>;
  /** Sent as JSON. Bytes are sent as they are, with the `content-type` of `headers`. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Schema of the response. 204 and empty bodies are parsed as `undefined`. */
  answer: z.ZodMiniType<T>;
  /** Reads the answer from this header instead of the body: LinkedIn returns new IDs in `x-restli-id`. */
  answerHeader?: string;
  /**
   * Asks the OAuth server about the token (RFC 7662): sends a form with the client's credentials instead of a bearer
   * token.
   */
  introspects?: boolean;
  /**
   * Whether the request changes nothing and may be repeated. Default: a GET does, everything else does not. A search by POST sets true; a GET
   * that may change something sets false.
   */
  reads?: boolean;
  /** The permission that the request needs, named in the error if it is missing. */
  scope?: string;
  signal?: AbortSignal;
  /** Receives the response headers, for links to further pages. */
  onHeaders?(headers: Headers): void;
};

/** Defines a tool with the input type of its schema, and erases the type so that tools fit in one list. */
export function defineTool<Input extends Record<string, unknown>>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** Adds the description of an input field, which models and `kay tools show` read. */
export function withDescription<T extends z.ZodMiniType>(schema: T, description: string): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}
