import {
  type CallToolResult,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { ProgramCallView } from "#protocol/program-calls";
import type { KayCalls } from "./calls.ts";
import { supportsTasks, TASKS_EXTENSION } from "./host.ts";
import { describeCall } from "./results.ts";

/** Time between two questions about a task, in ms. */
const POLL_MS = 3_000;

/**
 * Hosts end a call after 60 seconds. Seconds until a call that waits for the user is answered with its ID; and before
 * that, seconds until a call reaches its question.
 */
export const WAIT_SECONDS = 45;
export const QUESTION_SECONDS = 10;

/** Waits as long as hosts do. A host that supports tasks gets one at once for a call that needs the user. */
export async function describeWhenOver(calls: KayCalls, id: string, context: ServerContext): Promise<CallToolResult> {
  const { signal } = context.mcpReq;
  if (!supportsTasks(context)) return describeCall(await waitForEnd(calls, id, signal));
  const view = await calls.programCall(id, { waitSeconds: QUESTION_SECONDS, until: "wait", signal });
  return view.status === "running" || view.status === "waiting" ? toTaskResult(view) : describeCall(view);
}

export function waitForEnd(calls: KayCalls, id: string, signal: AbortSignal): Promise<ProgramCallView> {
  return calls.programCall(id, { waitSeconds: WAIT_SECONDS, until: "end", signal });
}

/** Answers a call with its task: the row of the call is the task, so it survives the host, this process and the node. */
function toTaskResult(view: ProgramCallView): CallToolResult {
  return { content: [], resultType: "task", ...describeTask(view) };
}

/** Lets hosts ask about tasks and cancel them. Their questions are asked before a task begins, so it never has any. */
export function registerTaskMethods({ server }: McpServer, openCalls: () => Promise<KayCalls>): void {
  const answerTask = async (context: ServerContext, work: (calls: KayCalls) => Promise<Record<string, unknown>>) => {
    if (!supportsTasks(context))
      throw new MissingRequiredClientCapabilityError({
        requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
      });
    return await openCalls().then(work).catch(rejectTask);
  };
  const readCall = (calls: KayCalls, id: string) => calls.programCall(id, { waitSeconds: 0, until: "wait" });
  server.setRequestHandler("tasks/get", { params: TaskParams }, ({ taskId }, context) =>
    answerTask(context, async (calls) => describeTask(await readCall(calls, taskId))),
  );
  server.setRequestHandler("tasks/update", { params: TaskParams }, ({ taskId }, context) =>
    answerTask(context, async (calls) => {
      await readCall(calls, taskId);
      return {};
    }),
  );
  server.setRequestHandler("tasks/cancel", { params: TaskParams }, ({ taskId }, context) =>
    answerTask(context, async (calls) => {
      await readCall(calls, taskId);
      await calls.cancelGeneration(taskId);
      return {};
    }),
  );
}

const TaskParams = z.looseObject({ taskId: z.string().check(z.maxLength(200)) });

function describeTask(view: ProgramCallView): Record<string, unknown> {
  const { id = "", created_at = EPOCH, finished_at } = view;
  const base = {
    taskId: id,
    createdAt: created_at,
    lastUpdatedAt: finished_at ?? created_at,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
  const [wait] = view.waits;
  switch (view.status) {
    case "running":
      return { ...base, status: "working" };
    case "waiting":
      return {
        ...base,
        status: "working",
        statusMessage: `Waiting for the user: ${wait?.prompt}. They answer with \`kay answer ${wait?.id}\`.`,
      };
    case "cancelled":
      return { ...base, status: "cancelled" };
    default:
      return { ...base, status: "completed", result: describeCall(view) };
  }
}

/** For a backend of an earlier version, which does not say when a call began. */
const EPOCH = new Date(0).toISOString();

function rejectTask(error: unknown): never {
  if (!(error instanceof Problem)) throw new ProtocolError(ProtocolErrorCode.InternalError, "kay failed.");
  const isUnknown = error.code === "GENERATION_NOT_FOUND";
  const code = isUnknown ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  throw new ProtocolError(code, isUnknown ? "No task has this ID." : cleanLine(error.message, 1_000));
}
