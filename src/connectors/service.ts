import * as z from "zod/mini";
import type { Clock, Fetch } from "#net/ports";
import type { Interactive } from "./interaction.ts";

/**
 * A service is data: how to sign in, who the account is, and what can be done. The flows (consent, refresh, requests, approvals) are
 * written once, in `connections` and `agent`; nothing here knows whether it talks to the sandbox or to the real service.
 */
export type Service = {
  /** Name in commands and on the wire: `jira`. */
  name: string;
  /** Name for people: `Jira`. */
  title: string;
  oauth: OAuth;
  /** Where the service lives when a real client id is configured. */
  endpoints: Endpoints;
  /** Where its API differs from what the HTTP core takes for granted. */
  api?: ApiTraits;
  /** How requests carry what its person pasted, where the sign-in is no OAuth. */
  credential?: Credential;
  /** Who consented and where they work. Called once after each consent, with the fresh token. */
  identify(http: ServiceHttp): Promise<Identity>;
  tools: Tool[];
};

/** Base URLs by role, no trailing slash. `authorize`, `token` and `api` exist for each service; a service may name more. */
export type Endpoints = { authorize: string; token: string; api: string; [role: string]: string };

/**
 * Where a pasted secret goes: a header with what stands before it, a query parameter, or HTTP Basic (the secret is then `user:password`);
 * or nowhere, because there is none.
 */
export type Credential =
  | { kind: "header"; name: string; prefix: string }
  | { kind: "query"; name: string }
  | { kind: "basic" }
  | { kind: "none" };

/** How the API of a service differs from the common case, as data. */
export type ApiTraits = {
  /** Sent with every request: media type, version of the API. */
  headers?: Record<string, string>;
  /** Statuses which say, as 429 does, that nothing was done and that the same request may be sent again. */
  repeat?: number[];
  /** Pause before such a repetition in milliseconds, where the answer names none. */
  pause?: number;
  errors?: ApiErrors;
};

/** Errors that an API tells by a code in the body. */
export type ApiErrors = {
  /** Field of the body that holds the code. */
  code: string;
  /** Field that is false in a failure which comes with a status of success. */
  flag?: string;
  /** What a code stands for; one that is not listed stands for a request that was not accepted. */
  codes: Record<string, ApiError>;
};

/** The HTTP status that a code stands for, what it says after the service's name, and what to do. */
type ApiError = { status: number; says?: string; hint?: string };

/** How a provider does OAuth 2 (RFC 6749), as data. Source: the provider's own pages, named in each service file. */
export type OAuth = {
  /** Services with one provider share accounts and client ids: `atlassian`. */
  provider: string;
  scopes: string[];
  /** Name of the parameter that asks for scopes, where it is not `scope`. */
  scopeParameter?: string;
  /** What stands between scopes, where it is not a space. */
  scopeSeparator?: string;
  /** Field of the token answer that holds the person's own tokens, where the provider gives several kinds (Slack's `authed_user`). */
  tokensIn?: string;
  /** Further parameters of the authorization request: `audience`, `prompt`, `access_type` … */
  authorizeParams?: Record<string, string>;
  /** Further parameters of token requests: `resource` (RFC 8707). */
  tokenParams?: Record<string, string>;
  /** S256 challenge (RFC 7636), where the provider takes it. */
  pkce: boolean;
  /** How the client authenticates at the token endpoint. */
  clientAuth: "client_secret_post" | "client_secret_basic" | "none";
  /** `rotating`: each refresh spends the refresh token. `stable`: it stays. `none`: there is none; a token lasts or is consented anew. */
  refresh: "rotating" | "stable" | "none";
  /** How the token endpoint takes its parameters; the form of RFC 6749 unless said otherwise. */
  tokenBody?: "json";
  /** Error codes of the token endpoint which mean that the grant is gone for good, besides `invalid_grant`. */
  goneErrors?: string[];
};

/** A client registered at a provider. Secrets stay in memory and in the operator's configuration. */
export type OAuthClient = { id: string; secret?: string };

/** A service as this backend offers it. Without a client it is listed as not connected and cannot be connected. */
export type ServiceConfiguration = {
  service: Service;
  endpoints: Endpoints;
  client: OAuthClient | null;
  /** Set for a service that its own person described. */
  described?: Described;
  /** Where and as whom one signs in is found out from the server itself, when somebody connects (MCP authorization). */
  discovers?: Discovers;
};

/** The address of a server that says itself where one signs in; a client registered by hand, where kay does not register itself. */
type Discovers = { server: string; client?: OAuthClient };

/** What is different with a service that somebody described: where requests to it go through, and what its secrets are bound to. */
type Described = {
  /** Takes the place of the backend's own way out. */
  fetch: Fetch;
  /** Names address and sign-in; tokens and secrets stored for one binding cannot be opened for another. */
  binding: string;
  /** Its OAuth client needs a secret that nobody gave yet. */
  lacksSecret: boolean;
  /** Whose a pasted secret is, where `Service.identify` cannot find out. @throws Problem AUTH_REQUIRED for one that is refused */
  identify?(secret: string): Promise<Identity>;
  /** Set for an MCP server: its command, where it is a program, and how its tools differ from those that were approved. */
  mcp?: { command?: string; env?: string[]; changes: string[] };
};

/** Who consented, and what the connection is bound to. */
export type Identity = {
  /** The provider's own id of the account; what "the same account" means. */
  accountId: string;
  /** Shown in `GET /connections` as `user`, in the guide's field names. */
  user: Record<string, unknown>;
  /** Shown as `metadata`; holds what tools need to reach the right place (`url`, `cloud_id`, `workspace_id`). */
  metadata: Record<string, unknown>;
  /** When the token opens several sites and none was chosen: the person has to choose one; `metadata` is then of no site. */
  sites?: Site[];
};

/** One of several places that a token opens (Atlassian's accessible resources). */
export type Site = { id: string; name: string; url: string; scopes: string[]; metadata: Record<string, unknown> };

/** What a tool may do. `destructive` cannot be undone by the same person in the same service. */
export type Access = "read" | "write" | "destructive";

/**
 * When a call needs a person (seed: agent architecture): never, before it runs, or after it ran and before the model goes on. The strictest
 * of what applies wins.
 */
export type ToolMode = "auto" | "confirm_before_execution" | "confirm_after_execution";

/** One thing that can be done with a service. Names are `service.verb_object`. */
export type Tool<Input extends Record<string, unknown> = Record<string, unknown>> = {
  name: string;
  /** One or two sentences for the model and for `kay tools`. */
  description: string;
  access: Access;
  /** zod/mini schema; its JSON Schema goes to the model, its `describe` texts too. */
  input: z.ZodMiniType<Input>;
  /** JSON Schema for the model and for people in place of that of `input`, with what checks an input in its place. */
  schema?: Record<string, unknown>;
  /** @throws Problem INVALID_REQUEST that names the wrong field */
  check?(input: unknown): Input;
  /** Plain requests that this tool answers; the offline planner learns its intents from them. `{slot}` marks an input field. */
  examples: string[];
  /** One line that says exactly what this call does, for approvals and receipts: "Move KAY-3 to Done". */
  summary(input: Input): string;
  /** Where it is not `auto` for reads and `confirm_before_execution` for everything else. */
  mode?: ToolMode;
  /** Its call goes on where it is while a person is asked, since what answers it holds a connection meanwhile. */
  suspendable?: boolean;
  /** A stricter mode for some inputs: "everybody" in the recipients. */
  modeOf?(input: Input): ToolMode | undefined;
  /**
   * What an approval for longer than once covers, as people name it and with its preposition: `to #general`, `in project KAY`. It ends the
   * words of the grant, "slack.send_message to #general". It is made of the input alone, is the same text for the same place however the input
   * spells it, and never says less than what the call reaches. Without it, or where it gives nothing, a grant covers these very arguments.
   */
  resource?(input: Input): string | undefined;
  run(input: Input, context: ToolContext): Promise<ToolResult>;
};

/** What a tool gets. `http` carries the token, base URL, retries and errors of the service. */
export type ToolContext = {
  http: ServiceHttp;
  /** `metadata` of the connection. */
  metadata: Record<string, unknown>;
  signal: AbortSignal;
  /** For writes: sent as the service's idempotency key where it has one. */
  idempotencyKey: string;
  /** What "today" and "now" mean. */
  clock: Clock;
  /** How the person is asked while it runs, and told what it is doing. Absent where a tool is run without kay. */
  people?: Interactive;
  /** For services that are not spoken to by `http`. Absent where a tool is run without kay. */
  raw?: RawAccess;
};

/** What the HTTP core does for its requests, for whoever speaks to a service in another way. */
export type RawAccess = {
  /** The token of now. @throws Problem AUTH_REQUIRED */
  token(): Promise<string>;
  /** A fresh one for a token that was refused. @throws Problem AUTH_REQUIRED */
  rejected(token: string): Promise<string>;
  /** The token is good, but not for this: the next consent asks for these permissions too. @throws Problem AUTH_REQUIRED, always */
  lacks(scopes: string[]): Promise<never>;
  /** To be awaited before the first byte of a write leaves. */
  sent(): Promise<void>;
  /** What was sent did nothing, and waits for something to be sent again. */
  unsent(): Promise<void>;
  /** A write went through. */
  wrote(): void;
};

/** What a tool answers: `data` trimmed for a model, `text` as Markdown for a person, `url` where the person can look at it. */
export type ToolResult = { data: unknown; text: string; url?: string };

/**
 * The one HTTP core for services: base URL, bearer token, JSON in and out, 429 and 5xx with limits, and errors of the closed table.
 * Paths are relative to the endpoint `api` unless `endpoint` names another role.
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
  body?: unknown;
  headers?: Record<string, string>;
  /** What the answer must look like. 204 and empty bodies are given as `undefined`. */
  answer: z.ZodMiniType<T>;
  /** The answer is this header instead of the body: LinkedIn names what it created in `x-restli-id`. */
  answerHeader?: string;
  /** Asks the OAuth server about the token itself (RFC 7662): a form with the client's credentials instead of a bearer token. */
  introspects?: boolean;
  /** A POST that changes nothing (a search), so that it may be repeated like a GET. */
  reads?: boolean;
  /** The permission that the request needs, to name it when the service says that it is missing. */
  scope?: string;
  signal?: AbortSignal;
  /** Sees the headers of the answer, for links to further pages. */
  onHeaders?(headers: Headers): void;
};

/** Writes a tool down with the input type of its schema; the list of a service holds tools of all inputs. */
export function defineTool<Input extends Record<string, unknown>>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** An input field with the words that models and `kay tools show` read. */
export function withDescription<T extends z.ZodMiniType>(schema: T, description: string): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}

/** The account and place that a connection works with: `id` tells it from every other one, `words` name it to a person. */
export type Account = { id: string; words: string };
