import * as z from "zod/mini";
import {
  AnswerLink,
  type AuthAnswer,
  type ClientMode,
  ClientsResponse,
  ConversationsResponse,
  ConversationView,
  GenerationView,
  type Grant,
  GrantsResponse,
  type GrantTest,
  GrantTestResponse,
  type InteractionAnswer,
  InteractionAnswered,
  PendingRequest,
  PendingResponse,
  type PoliciesChange,
  PoliciesResponse,
  WritesResponse,
} from "#protocol/conversations";
import { InteractionExtended } from "#protocol/interactions";
import {
  ProgramAccessAnswered,
  ProgramAccessRequest,
  type ProgramCallRequest,
  ProgramCallView,
  ProgramsResponse,
  ProgramView,
} from "#protocol/program-calls";
import {
  ScheduleDeleted,
  type ScheduleRequest,
  ScheduleRun,
  SchedulesResponse,
  ScheduleView,
} from "#protocol/schedules";
import {
  CreatedScriptToken,
  type ScriptTokenRequest,
  ScriptTokensResponse,
  ScriptTokenView,
} from "#protocol/script-tokens";
import type { Caller } from "./caller.ts";
import { ignoreMissingAuthRoute } from "./failure.ts";
import type { Call } from "./send-call.ts";

/** Calls for conversations, open requests, policies, approvals, script tokens and schedules (docs/protocol.md). */
export type ConversationCalls = {
  /** `GET /sessions`, newest first. `page` counts from 1. */
  sessions(options?: { page?: number; limit?: number }): Promise<ConversationsResponse>;
  session(id: string): Promise<ConversationView>;
  renameSession(id: string, title: string): Promise<ConversationView>;
  deleteSession(id: string): Promise<void>;
  /** `GET /sessions/:id/clients`: clients that follow it, or null if the backend does not have this call. */
  clients(sessionId: string): Promise<ClientsResponse | null>;
  /** `PUT /sessions/:id/clients/:client_id`: sets whether this client answers approvals and forms. */
  setClient(sessionId: string, clientId: string, mode: ClientMode): Promise<void>;
  /** The first answer wins. @throws Problem INTERACTION_CLOSED with the first answer in `details.answered` */
  answerInteraction(sessionId: string, interactionId: string, answer: InteractionAnswer): Promise<InteractionAnswered>;
  /** Extends the deadline of a request that the user is working on. Backends without this call keep theirs. */
  extendInteraction(sessionId: string, interactionId: string): Promise<void>;
  /** `GET /pending`: all open requests, or null if the backend does not have this call. */
  pending(): Promise<PendingRequest[] | null>;
  /**
   * `GET /pending/:id`: one open request, or null if the backend does not have this call.
   *
   * @throws Problem INTERACTION_CLOSED with the first answer in `details.answered`, INTERACTION_NOT_FOUND
   */
  pendingRequest(id: string): Promise<PendingRequest | null>;
  /** `POST /pending/link`: a link that signs a device in to answer, once. */
  createAnswerLink(id?: string): Promise<AnswerLink>;
  /** `GET /writes`: a page of writes, newest first, or null if the backend does not have this call. */
  writes(query?: WritesQuery): Promise<WritesResponse | null>;
  generation(id: string): Promise<GenerationView>;
  /** `POST /generations/:id/auth`: reports whether a service that the generation needs was connected. */
  answerAuth(generationId: string, answer: AuthAnswer): Promise<GenerationView>;
  cancelGeneration(id: string): Promise<GenerationView>;
  /** `POST /generations/:id/detach`: lets it run without a follower. */
  detachGeneration(id: string): Promise<GenerationView>;
  policies(): Promise<PoliciesResponse>;
  /** Changes these policies and returns all policies; `null` removes one. */
  putPolicies(change: PoliciesChange): Promise<PoliciesResponse>;
  /** `POST /calls`: makes one call for another program. */
  startProgramCall(request: ProgramCallRequest): Promise<ProgramCallView>;
  /**
   * `GET /calls/:id`: returns a call when it has ended or the wait is over. With `until: "wait"`, also when it needs a
   * person.
   *
   * @param options.waitSeconds at most 50
   */
  programCall(
    id: string,
    options: { waitSeconds: number; until: "end" | "wait"; signal?: AbortSignal },
  ): Promise<ProgramCallView>;
  /** `GET /mcp/programs`: programs that may use `/mcp`, or null if the backend does not serve it. */
  programs(): Promise<ProgramView[] | null>;
  /** `DELETE /mcp/programs/:id`: ends the access of a program. */
  removeProgram(id: string): Promise<ProgramView>;
  /** `GET /mcp/requests/:code`: the program that shows this code. @throws Problem NOT_FOUND */
  programRequest(code: string): Promise<ProgramAccessRequest>;
  /** `POST /mcp/requests/:code`: lets the program in or not. `url` takes the user's browser back to it. */
  answerProgram(code: string, allow: boolean): Promise<{ url?: string | undefined }>;
  approvals(): Promise<Grant[]>;
  /** Returns whether a call would need approval, and why. Runs nothing. */
  testApproval(test: z.infer<typeof GrantTest>): Promise<GrantTestResponse>;
  revokeApproval(id: string): Promise<void>;
  /** `GET /auth/tokens`, oldest first, or null if the backend does not have this call. */
  scriptTokens(): Promise<ScriptTokenView[] | null>;
  /** `GET /auth/token`: the script token that is sent, or null if the backend does not have this call. */
  scriptToken(): Promise<ScriptTokenView | null>;
  /** `POST /auth/tokens`: a script token with its secret, or null if the backend does not have this call. */
  createScriptToken(request: ScriptTokenRequest): Promise<CreatedScriptToken | null>;
  revokeScriptToken(id: string): Promise<ScriptTokenView>;
  /** `GET /schedules`, oldest first, or null if the backend does not have this call. */
  schedules(): Promise<ScheduleView[] | null>;
  addSchedule(request: ScheduleRequest): Promise<ScheduleView>;
  /** `PATCH /schedules/:id`: pauses or resumes it. */
  pauseSchedule(id: string, paused: boolean): Promise<ScheduleView>;
  removeSchedule(id: string): Promise<void>;
  /** `POST /schedules/:id/run`: starts a run now. @throws Problem BACKEND_BUSY while the last run has not ended */
  runSchedule(id: string): Promise<ScheduleRun>;
};

/** Filters of writes: service, start time (ISO 8601), and page. */
type WritesQuery = { service?: string; since?: string; limit?: number; cursor?: string };
/** Time limit in ms, longer than any wait of `GET /calls/:id`. */
const WAIT_TIMEOUT_MS = 70_000;

/** A response whose content does not matter. */
const Heard = z.looseObject({});

/**
 * Creates the {@link ConversationCalls}. Writes have an Idempotency-Key and are sent once; a lost answer is looked up.
 */
export function createConversationCalls(caller: Caller): ConversationCalls {
  const { timeoutMs } = caller;
  const get = <T extends z.core.$ZodType>(schema: T, path: string) => {
    const call = caller.get(path);
    return caller.read(schema, call, () => caller.bearer(call));
  };
  const write = <T extends z.core.$ZodType>(schema: T, method: Call["method"], path: string, body?: Call["body"]) =>
    caller.write(schema, { method, path, timeoutMs, ...(body ? { body } : {}) });
  const buildSessionPath = (id: string) => `/sessions/${encodeURIComponent(id)}`;
  const buildSchedulePath = (id: string) => `/schedules/${encodeURIComponent(id)}`;
  const buildGenerationPath = (id: string) => `/generations/${encodeURIComponent(id)}`;
  return {
    sessions: ({ page = 1, limit = 20 } = {}) => get(ConversationsResponse, `/sessions?page=${page}&limit=${limit}`),
    session: (id) => get(ConversationView, buildSessionPath(id)),
    renameSession: (id, title) => write(ConversationView, "PATCH", buildSessionPath(id), { title }),
    deleteSession: async (id) => void (await write(Heard, "DELETE", buildSessionPath(id))),
    clients: (id) => get(ClientsResponse, `${buildSessionPath(id)}/clients`).catch(ignoreMissingAuthRoute),
    setClient: async (id, clientId, mode) =>
      void (await write(Heard, "PUT", `${buildSessionPath(id)}/clients/${encodeURIComponent(clientId)}`, mode)),
    answerInteraction: (id, interactionId, answer) =>
      write(
        InteractionAnswered,
        "POST",
        `${buildSessionPath(id)}/interactions/${encodeURIComponent(interactionId)}`,
        answer,
      ),
    extendInteraction: async (id, interactionId) => {
      const path = `${buildSessionPath(id)}/interactions/${encodeURIComponent(interactionId)}/extend`;
      await write(InteractionExtended, "POST", path, {}).catch(ignoreMissingAuthRoute);
    },
    pending: () => get(PendingResponse, "/pending").then(({ pending }) => pending, ignoreMissingAuthRoute),
    pendingRequest: (id) => get(PendingRequest, `/pending/${encodeURIComponent(id)}`).catch(ignoreMissingAuthRoute),
    createAnswerLink: (id) => {
      const call: Call = { method: "POST", path: "/pending/link", body: id === undefined ? {} : { id }, timeoutMs };
      return caller.read(AnswerLink, call, () => caller.bearer(call));
    },
    writes: (query = {}) => {
      const parameters = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      );
      return get(WritesResponse, `/writes?${new URLSearchParams(parameters)}`).catch(ignoreMissingAuthRoute);
    },
    generation: (id) => get(GenerationView, buildGenerationPath(id)),
    answerAuth: (id, answer) => write(GenerationView, "POST", `${buildGenerationPath(id)}/auth`, answer),
    cancelGeneration: (id) => write(GenerationView, "POST", `${buildGenerationPath(id)}/cancel`, {}),
    detachGeneration: (id) => write(GenerationView, "POST", `${buildGenerationPath(id)}/detach`, {}),
    policies: () => get(PoliciesResponse, "/policies"),
    putPolicies: (change) => write(PoliciesResponse, "PUT", "/policies", change),
    startProgramCall: (request) => write(ProgramCallView, "POST", "/calls", request),
    programCall: (id, { waitSeconds, until, signal }) => {
      const query = `wait=${waitSeconds}${until === "end" ? "&for=end" : ""}`;
      const call = { ...caller.get(`/calls/${encodeURIComponent(id)}?${query}`, signal), timeoutMs: WAIT_TIMEOUT_MS };
      return caller.read(ProgramCallView, call, () => caller.bearer(call));
    },
    programs: () => get(ProgramsResponse, "/mcp/programs").then(({ programs }) => programs, ignoreMissingAuthRoute),
    removeProgram: (id) => write(ProgramView, "DELETE", `/mcp/programs/${encodeURIComponent(id)}`),
    programRequest: (code) => get(ProgramAccessRequest, `/mcp/requests/${encodeURIComponent(code)}`),
    answerProgram: (code, allow) => {
      const path = `/mcp/requests/${encodeURIComponent(code)}`;
      const call: Call = { method: "POST", path, body: { allow }, timeoutMs };
      return caller.read(ProgramAccessAnswered, call, () => caller.bearer(call));
    },
    approvals: async () => (await get(GrantsResponse, "/approvals")).approvals,
    testApproval: (test) => {
      const call: Call = { method: "POST", path: "/approvals/test", body: test, timeoutMs };
      return caller.read(GrantTestResponse, call, () => caller.bearer(call));
    },
    revokeApproval: async (id) => void (await write(Heard, "DELETE", `/approvals/${encodeURIComponent(id)}`)),
    scriptTokens: () => get(ScriptTokensResponse, "/auth/tokens").then(({ tokens }) => tokens, ignoreMissingAuthRoute),
    scriptToken: () => get(ScriptTokenView, "/auth/token").catch(ignoreMissingAuthRoute),
    createScriptToken: (request) => {
      const call: Call = { method: "POST", path: "/auth/tokens", body: request, timeoutMs };
      return caller.read(CreatedScriptToken, call, () => caller.bearer(call)).catch(ignoreMissingAuthRoute);
    },
    revokeScriptToken: (id) => write(ScriptTokenView, "DELETE", `/auth/tokens/${encodeURIComponent(id)}`),
    schedules: () => get(SchedulesResponse, "/schedules").then(({ schedules }) => schedules, ignoreMissingAuthRoute),
    addSchedule: (request) => write(ScheduleView, "POST", "/schedules", request),
    pauseSchedule: (id, paused) => write(ScheduleView, "PATCH", buildSchedulePath(id), { paused }),
    removeSchedule: async (id) => void (await write(ScheduleDeleted, "DELETE", buildSchedulePath(id))),
    runSchedule: (id) => write(ScheduleRun, "POST", `${buildSchedulePath(id)}/run`, {}),
  };
}
