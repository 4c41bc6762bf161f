import type * as z from "zod/mini";
import type { AskRequest, AskResponse, CapabilitiesResponse } from "#protocol/ask";
import type {
  ConnectionsResponse,
  ConnectRequest,
  ConnectResponse,
  DisconnectResponse,
  StatusResponse,
} from "#protocol/connections";
import type {
  AddServiceRequest,
  AddServiceResponse,
  ApproveRequest,
  ClientDocument,
  DescriptionResponse,
  RemoveServiceResponse,
} from "#protocol/custom-services";
import type { ModelTestResponse, ModelView } from "#protocol/model";
import type { ServicesResponse, ToolCallResponse, ToolsResponse, ToolView } from "#protocol/tools";
import { withAuthorization } from "./bearer.ts";
import type { Beat } from "./beats.ts";
import { type ApiOptions, type CallOptions, createCaller, type WriteOptions } from "./caller.ts";
import type { ConversationCalls } from "./conversations.ts";
import { ignoreMissingAuthRoute, ignoreMissingRoute } from "./failure.ts";
import { createLazyCalls } from "./lazy-calls.ts";
import type { WriteOutcome } from "./lost-answers.ts";
import type { RefreshCall, Revocations } from "./refresh-call.ts";
import { sendLogout } from "./refresh-call.ts";
import { type Call, sendCall } from "./send-call.ts";
import type { StreamCalls } from "./stream.ts";

/** The calls of one backend (docs/protocol.md). Each answer is checked against its schema; failures are Problems. */
export type Api = StreamCalls &
  ConversationCalls & {
    /**
     * `POST /connections/connect?service=`: starts connecting a service. Sent once; a 401 is final. `signedIn` also
     * sends the access token, so that the backend recognizes the account of this installation.
     */
    connect(
      service: string,
      body: ConnectRequest,
      options?: CallOptions & { signedIn?: boolean },
    ): Promise<ConnectResponse>;
    /** `GET /auth/status/:state`, sent once; `pollAuthorization` repeats it. */
    status(state: string, verifier?: string, options?: CallOptions): Promise<StatusResponse>;
    /** `GET /connections` with the sign-in, or without one for a `session_id`. */
    connections(options?: CallOptions & { session_id?: string }): Promise<ConnectionsResponse>;
    /** `POST /connections/disconnect?service=`. Requires a sign-in or a `session_id`. */
    disconnect(service: string, options?: CallOptions & { session_id?: string }): Promise<DisconnectResponse>;
    /** `POST /auth/refresh`, for the refresher. */
    refresh: RefreshCall;
    /**
     * `POST /auth/logout` with this token or the current one, within five seconds. Resolves if the backend ended the
     * sign-in or does not know the token (401).
     *
     * @param options `disconnect` also disconnects every service
     * @returns the result of the revocation at each service
     * @throws Problem that says why the sign-in may still be valid
     */
    logout(token?: string, options?: { disconnect?: boolean }): Promise<Revocations>;
    /** `POST /ask`. Resolves also for `status: "error"`. A lost answer is looked up, never requested again. */
    ask(request: AskRequest, options?: WriteOptions): Promise<AskResponse>;
    /** `POST /ask/confirm`, with the same protection against lost answers as `ask`. */
    confirm(token: string, approved: boolean, options?: WriteOptions): Promise<AskResponse>;
    /** `GET /services`, or null if the backend does not have it. */
    services(options?: CallOptions): Promise<ServicesResponse | null>;
    /**
     * `POST /services`: adds a custom service. Without a sign-in, for the body's session ID or a new one. Sent once.
     */
    describeService(body: AddServiceRequest, options?: CallOptions): Promise<AddServiceResponse>;
    /** `POST /services/:name/approve`: approves the current tools of an MCP server. Sent once. */
    approveService(name: string, body: ApproveRequest, options?: CallOptions): Promise<AddServiceResponse>;
    /** `DELETE /services/:name`. Sent once. */
    removeService(name: string, options?: CallOptions): Promise<RemoveServiceResponse>;
    /** `GET /auth/client`: identifies kay to authorization servers; null if the backend does not have it. */
    clientDocument(options?: CallOptions): Promise<ClientDocument | null>;
    /** `GET /services/:name/description`. */
    serviceDescription(name: string, options?: CallOptions): Promise<DescriptionResponse>;
    /** `GET /tools`, of one service or all, or the best matches of a query; null if the backend does not have it. */
    tools(options?: CallOptions & { service?: string; query?: string }): Promise<ToolsResponse | null>;
    /** `GET /tools/:name`. */
    tool(name: string, options?: CallOptions): Promise<ToolView>;
    /** `POST /tools/:name/call`, with the same protection against lost answers as `ask`. `timeZone` is the user's. */
    callTool(
      name: string,
      input: Record<string, unknown>,
      options?: WriteOptions & { timeZone?: string | undefined },
    ): Promise<ToolCallResponse>;
    /** `GET /model`, or null if the backend does not have it. The local backend requires no sign-in for this. */
    model(options?: CallOptions): Promise<ModelView | null>;
    /** `POST /model/test`, sent once. */
    testModel(options?: CallOptions): Promise<ModelTestResponse>;
    /** Outcome of the write with this key; `unknown` also if the backend does not have this call. */
    outcome(key: string, options?: CallOptions): Promise<WriteOutcome>;
    /** `GET /capabilities`, or null if the backend does not have it. */
    capabilities(options?: CallOptions): Promise<Capabilities | null>;
    /** `GET /health/stream`: the beats of a short stream, or null if the backend does not have it. */
    beats(options?: CallOptions): Promise<Beat[] | null>;
    /** Returns the server's clock minus this machine's in ms, as of the last answer; undefined before the first. */
    clockOffsetMs(): number | undefined;
  };

type Capabilities = z.infer<typeof CapabilitiesResponse>;

const STATUS_TIMEOUT_MS = 10_000;
const MODEL_TEST_TIMEOUT_MS = 150_000;
/** A local MCP server gets two minutes to start. */
const LOOK_TIMEOUT_MS = 150_000;

/** Creates the calls of one backend; see {@link Api}. */
export function createApi(options: ApiOptions): Api {
  const caller = createCaller(options);
  const { backend, tokens, timeoutMs, askTimeoutMs, refresh, get, bearer, read, write, outcome } = caller;
  const sendAsOwner = (call: Call) => (backend.localSecret ? sendCall(backend, call) : bearer(call));
  return {
    ...createLazyCalls(caller),
    refresh,
    outcome,
    clockOffsetMs: () => backend.clockOffsetMs,
    connect: async (service, body, { signal, signedIn } = {}) => {
      const call: Call = { ...toConnectCall(service, body), timeoutMs, signal };
      const token = signedIn ? await tokens.accessToken() : null;
      return read(shapes.ConnectResponse, token === null ? call : withAuthorization(call, token));
    },
    status: (state, verifier, { signal } = {}) => {
      const call = { ...toStatusCall(state, verifier), timeoutMs: Math.min(timeoutMs, STATUS_TIMEOUT_MS), signal };
      return read(shapes.StatusResponse, call);
    },
    connections: ({ session_id, signal } = {}) => {
      const call: Call = { method: "GET", path: "/connections", timeoutMs, signal };
      const legacy = session_id
        ? { ...call, path: `/connections?session_id=${encodeURIComponent(session_id)}` }
        : undefined;
      return read(shapes.ConnectionsResponse, call, () => bearer(call, legacy && (() => sendCall(backend, legacy))));
    },
    disconnect: (service, { session_id, signal } = {}) => {
      const path = `/connections/disconnect?service=${encodeURIComponent(service)}`;
      const call: Call = { method: "POST", path, body: session_id ? { session_id } : {}, timeoutMs, signal };
      return read(shapes.DisconnectResponse, call, () =>
        bearer(call, session_id ? () => sendCall(backend, call) : undefined),
      );
    },
    logout: (token, options) => sendLogout(backend, tokens, token, options),
    ask: (request, options) =>
      write(
        shapes.AskResponse,
        { method: "POST", path: "/ask", route: "ask", body: request, timeoutMs: askTimeoutMs },
        options,
      ),
    confirm: (token, approved, options) => {
      const body = { confirmation_token: token, approved };
      const call: Call = { method: "POST", path: "/ask/confirm", route: "confirm", body, timeoutMs: askTimeoutMs };
      return write(shapes.AskResponse, call, options);
    },
    services: ({ signal } = {}) => {
      const call = get("/services", signal);
      return read(shapes.ServicesResponse, call, () => bearer(call)).catch(ignoreMissingAuthRoute);
    },
    describeService: (body, { signal } = {}) => {
      const call: Call = {
        method: "POST",
        path: "/services",
        body,
        timeoutMs: body.mcp ? LOOK_TIMEOUT_MS : timeoutMs,
        signal,
      };
      return read(shapes.DescribeResponse, call, () => bearer(call, () => sendCall(backend, call)));
    },
    approveService: (name, body, { signal } = {}) => {
      const path = `/services/${encodeURIComponent(name)}/approve`;
      const call: Call = { method: "POST", path, body, timeoutMs: LOOK_TIMEOUT_MS, signal };
      return read(shapes.DescribeResponse, call, () => bearer(call));
    },
    removeService: (name, { signal } = {}) => {
      const call: Call = { method: "DELETE", path: `/services/${encodeURIComponent(name)}`, timeoutMs, signal };
      return read(shapes.RemovedResponse, call, () => bearer(call));
    },
    clientDocument: ({ signal } = {}) =>
      read(shapes.ClientDocument, get("/auth/client", signal)).catch(ignoreMissingRoute),
    serviceDescription: (name, { signal } = {}) => {
      const call = get(`/services/${encodeURIComponent(name)}/description`, signal);
      return read(shapes.DescriptionResponse, call, () => bearer(call));
    },
    tools: ({ service, query, signal } = {}) => {
      const filter = new URLSearchParams({ ...(service ? { service } : {}), ...(query ? { query } : {}) }).toString();
      const call = get(`/tools${filter ? `?${filter}` : ""}`, signal);
      return read(shapes.ToolsResponse, call, () => bearer(call)).catch(ignoreMissingAuthRoute);
    },
    tool: (name, { signal } = {}) => {
      const call = get(`/tools/${encodeURIComponent(name)}`, signal);
      return read(shapes.ToolView, call, () => bearer(call));
    },
    callTool: (name, input, { timeZone, ...more } = {}) => {
      const path = `/tools/${encodeURIComponent(name)}/call`;
      const body = { input, ...(timeZone ? { time_zone: timeZone } : {}) };
      return write(shapes.ToolCallResponse, { method: "POST", path, body, timeoutMs: askTimeoutMs }, more);
    },
    model: ({ signal } = {}) => {
      const call = get("/model", signal);
      return read(shapes.ModelView, call, () => sendAsOwner(call)).catch(ignoreMissingAuthRoute);
    },
    testModel: ({ signal } = {}) => {
      const call: Call = { method: "POST", path: "/model/test", body: {}, timeoutMs: MODEL_TEST_TIMEOUT_MS, signal };
      return read(shapes.ModelTestResponse, call, () => sendAsOwner(call));
    },
    beats: async ({ signal } = {}) => (await import("./beats.ts")).fetchBeats(backend, signal),
    capabilities: ({ signal } = {}) =>
      read(shapes.CapabilitiesResponse, { method: "GET", path: "/capabilities", timeoutMs, signal }).catch(
        ignoreMissingRoute,
      ),
  };
}

/** Loads schemas while the request is running, because importing a protocol file builds all its schemas. */
const shapes = {
  AskResponse: () => import("#protocol/ask").then((of) => of.AskResponse),
  CapabilitiesResponse: () => import("#protocol/ask").then((of) => of.CapabilitiesResponse),
  ConnectionsResponse: () => import("#protocol/connections").then((of) => of.ConnectionsResponse),
  ConnectResponse: () => import("#protocol/connections").then((of) => of.ConnectResponse),
  DisconnectResponse: () => import("#protocol/connections").then((of) => of.DisconnectResponse),
  StatusResponse: () => import("#protocol/connections").then((of) => of.StatusResponse),
  ClientDocument: () => import("#protocol/custom-services").then((of) => of.ClientDocument),
  DescribeResponse: () => import("#protocol/custom-services").then((of) => of.AddServiceResponse),
  DescriptionResponse: () => import("#protocol/custom-services").then((of) => of.DescriptionResponse),
  RemovedResponse: () => import("#protocol/custom-services").then((of) => of.RemoveServiceResponse),
  ModelTestResponse: () => import("#protocol/model").then((of) => of.ModelTestResponse),
  ModelView: () => import("#protocol/model").then((of) => of.ModelView),
  ServicesResponse: () => import("#protocol/tools").then((of) => of.ServicesResponse),
  ToolCallResponse: () => import("#protocol/tools").then((of) => of.ToolCallResponse),
  ToolsResponse: () => import("#protocol/tools").then((of) => of.ToolsResponse),
  ToolView: () => import("#protocol/tools").then((of) => of.ToolView),
};

function toConnectCall(service: string, body: ConnectRequest) {
  return { method: "POST", path: `/connections/connect?service=${encodeURIComponent(service)}`, body } as const;
}

function toStatusCall(state: string, verifier?: string) {
  const headers = verifier ? { "Kay-Verifier": verifier } : undefined;
  return {
    method: "GET",
    path: `/auth/status/${encodeURIComponent(state)}`,
    route: "status",
    headers,
    attempts: 1,
  } as const;
}
