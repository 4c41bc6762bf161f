import { setTimeout as sleep } from "node:timers/promises";
import { type CallToolResult, type Client, ProtocolError, type Tool as ServerTool } from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import { Cancellation, Problem } from "#protocol/errors";
import type { TaskKeeper } from "../../tool.ts";
import { PROBLEM_KEY } from "../transport/repair-items.ts";

/**
 * The extension of the newer protocol in which a server answers a call with a task (`io.modelcontextprotocol/tasks`).
 */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** How long a task may run, and how long its server is asked to keep it, in ms. */
const MAX_TASK_MS = 60 * 60_000;
const TASK_TTL_MS = 2 * MAX_TASK_MS;

/** Shortest, longest and usual time between two questions about a task, and time limit of a request, in ms. */
const MIN_POLL_MS = 250;
const MAX_POLL_MS = 30_000;
const POLL_MS = 2_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** Identifies a task at its server. It is stored, so that it outlives the process that started the task. */
export type TaskHandle = {
  id: string;
  /** The session in which it was started. Some servers know their tasks only there. */
  session?: string;
  /** The protocol version of that session. */
  version?: string;
  /** When it was started, in ms since the epoch. */
  started: number;
};

/** The keeper of one call's task, with the handle that it has read or stored. */
export type CallTask = TaskKeeper & { handle?: TaskHandle | undefined };

/** Reads the handle that was stored for a call, if its task was started before. */
export async function loadTask(keeper: TaskKeeper): Promise<CallTask> {
  const storedId = await keeper.find();
  const handle = storedId === undefined ? undefined : Handle.safeParse(JSON.parse(storedId)).data;
  return { ...keeper, handle: handle as TaskHandle | undefined };
}

const Handle = z.object({
  id: z.string(),
  session: z.optional(z.string()),
  version: z.optional(z.string()),
  started: z.number(),
});

const Json = z.record(z.string(), z.unknown());
const Task = z.looseObject({
  taskId: z.string().check(z.minLength(1), z.maxLength(1_000)),
  status: z.enum(["working", "input_required", "completed", "failed", "cancelled"]),
  statusMessage: z.optional(z.string()),
  /** Time between two questions that the server asks for, in ms, in the older protocol and in the extension. */
  pollInterval: z.optional(z.number()),
  pollIntervalMs: z.optional(z.number()),
  /** Extension only: the result, the error, or the questions. */
  result: z.optional(Json),
  error: z.optional(z.looseObject({ code: z.number(), message: z.string() })),
  inputRequests: z.optional(Json),
});
type Task = z.infer<typeof Task>;

/**
 * Names the tools that are called as tasks: those that require or allow it, if the server announces tasks of calls. In
 * the newer protocol the server decides at each call.
 */
export function listTaskTools(client: Client, tools: ServerTool[]): Set<string> {
  if (client.getProtocolEra() === "modern" || !client.getServerCapabilities()?.tasks?.requests?.tools?.call)
    return new Set();
  const capable = tools.filter(({ execution }) => TASK_SUPPORT.has(execution?.taskSupport ?? ""));
  return new Set(capable.map(({ name }) => name));
}

const TASK_SUPPORT = new Set(["required", "optional"]);

/** Marks a tool that requires tasks at a server that does not announce them. */
export function markTaskTool(tool: ServerTool, taskTools: Set<string>): ServerTool {
  if (tool.execution?.taskSupport !== "required" || taskTools.has(tool.name)) return tool;
  return { ...tool, _meta: { [PROBLEM_KEY]: "it requires tasks, which the server does not announce" } };
}

/** Calls a tool as a task of the older protocol (2025-11-25). Returns as soon as the server has accepted it. */
export async function startTask(
  client: Client,
  params: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const request = { method: "tools/call" as const, params: { ...params, task: { ttl: TASK_TTL_MS } } };
  return (await client.request(request as never, z.looseObject({ task: Json }), getLimits(signal))).task;
}

/**
 * Stores the handle of a task before anything waits for it.
 *
 * @throws Problem SERVICE_FAILED for a task without an ID
 */
export async function keepTask(
  client: Client,
  task: unknown,
  call: CallTask | undefined,
  title: string,
): Promise<TaskHandle> {
  const { data } = Task.safeParse(task);
  if (!data) throw new Problem("SERVICE_FAILED", `${title} started a task that does not conform to MCP.`);
  const session = client.transport?.sessionId;
  const version = client.getNegotiatedProtocolVersion();
  const handle = {
    id: data.taskId,
    started: Date.now(),
    ...(session ? { session } : {}),
    ...(version ? { version } : {}),
  };
  await call?.keep(JSON.stringify(handle));
  if (call) call.handle = handle;
  return handle;
}

type Following = {
  title: string;
  /** Whether the call changes something, so that a lost task is an unknown outcome. */
  writes: boolean;
  /** Aborts when the server was silent for too long. */
  signal: AbortSignal;
  /** Aborts with a {@link Cancellation} when the user cancels. */
  cancelled: AbortSignal | undefined;
  /** Called at each answer, with the server's words about the task. */
  heard(words: string | undefined): void;
  /** Asks the user the questions of the extension, by their keys; absent if no client can answer. */
  ask?(questions: Record<string, unknown>): Promise<Record<string, unknown>>;
};

/**
 * Waits for a task and returns its result. In the older protocol, questions of a task come while `tasks/result` is
 * open.
 *
 * @throws the library's errors; Problem OUTCOME_UNKNOWN or SERVICE_FAILED when the task was canceled, took too long,
 * or is no longer known to the server
 */
export async function followTask(client: Client, handle: TaskHandle, following: Following): Promise<CallToolResult> {
  const { signal, cancelled, heard } = following;
  const stop = cancelled ? AbortSignal.any([signal, cancelled]) : signal;
  const answeredIds = new Set<string>();
  const isModern = client.getProtocolEra() === "modern";
  let result: Promise<CallToolResult> | undefined;
  for (;;) {
    if (cancelled?.reason instanceof Cancellation) return await cancelTask(client, handle, following, "was cancelled");
    if (Date.now() > handle.started + MAX_TASK_MS)
      return await cancelTask(client, handle, following, "took more than an hour and was cancelled");
    const task = await getTask(client, handle, following);
    heard(task.statusMessage);
    if (task.status === "cancelled") throw endedProblem(following, "was canceled by the server");
    if (task.status === "failed" && task.error) throw new ProtocolError(task.error.code, task.error.message);
    if (task.status === "completed" || task.status === "failed") {
      if (isModern) return { content: [], ...task.result } as CallToolResult;
      return await (result ?? getResult(client, handle, signal));
    }
    if (task.status === "input_required" && isModern)
      await answerQuestions(client, handle, { task, answered: answeredIds, following });
    else if (task.status === "input_required") result ??= listenForResult(client, handle, signal);
    await sleep(getPause(task), undefined, { signal: stop, ref: false }).catch(() => {});
    signal.throwIfAborted();
  }
}

function getPause({ pollInterval, pollIntervalMs }: Task): number {
  const interval = pollIntervalMs ?? pollInterval ?? POLL_MS;
  return Number.isFinite(interval) ? Math.min(Math.max(interval, MIN_POLL_MS), MAX_POLL_MS) : POLL_MS;
}

async function getTask(client: Client, { id }: TaskHandle, following: Following): Promise<Task> {
  try {
    return await client.request(
      { method: "tasks/get", params: { taskId: id } } as never,
      Task,
      getLimits(following.signal),
    );
  } catch (error) {
    if (error instanceof ProtocolError) throw endedProblem(following, "is no longer known to the server");
    throw error;
  }
}

async function getResult(client: Client, { id }: TaskHandle, signal: AbortSignal): Promise<CallToolResult> {
  const request = { method: "tasks/result", params: { taskId: id } };
  const options = { ...getLimits(signal), timeout: MAX_TASK_MS, maxTotalTimeout: MAX_TASK_MS };
  return (await client.request(request as never, z.looseObject({}), options)) as unknown as CallToolResult;
}

/** Opens the request in which the server asks its questions. Its end is read only once the task has ended. */
function listenForResult(client: Client, handle: TaskHandle, signal: AbortSignal): Promise<CallToolResult> {
  const result = getResult(client, handle, signal);
  result.catch(() => {});
  return result;
}

/**
 * Answers the questions of the extension. A key is answered once, although it may be listed until the server has seen
 * that.
 */
async function answerQuestions(
  client: Client,
  { id }: TaskHandle,
  { task, answered, following }: { task: Task; answered: Set<string>; following: Following },
): Promise<void> {
  const openQuestions = Object.entries(task.inputRequests ?? {}).filter(([key]) => !answered.has(key));
  if (openQuestions.length === 0 || !following.ask) return;
  const inputResponses = await following.ask(Object.fromEntries(openQuestions));
  for (const [key] of openQuestions) answered.add(key);
  const request = { method: "tasks/update", params: { taskId: id, inputResponses } };
  await client.request(request as never, z.looseObject({}), getLimits(following.signal));
}

/** Asks the server to cancel the task. Its effects before that are unknown. */
async function cancelTask(client: Client, { id }: TaskHandle, following: Following, why: string): Promise<never> {
  const request = { method: "tasks/cancel", params: { taskId: id } };
  await client.request(request as never, z.looseObject({}), getLimits(following.signal)).catch(() => {});
  throw endedProblem(following, why);
}

function endedProblem({ title, writes }: Following, why: string): Problem {
  const sentence = `The task of ${title} ${why}.`;
  if (!writes) return new Problem("CANCELLED", sentence, { hint: "" });
  return new Problem("OUTCOME_UNKNOWN", `${sentence} It may have been partly completed.`, {
    hint: `Check ${title} before you try again.`,
  });
}

function getLimits(signal: AbortSignal) {
  return { timeout: REQUEST_TIMEOUT_MS, maxTotalTimeout: REQUEST_TIMEOUT_MS, signal };
}
