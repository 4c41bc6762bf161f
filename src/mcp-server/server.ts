import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ProgramCallView } from "#protocol/program-calls";
import { toWireName } from "#protocol/tool-names";
import type { ToolView } from "#protocol/tools";
import type { KayCalls } from "./calls.ts";
import { getDialogModes, getProgramName, isConnectionClosed, TASKS_EXTENSION } from "./host.ts";
import { describeCall, describeProblem, toResult } from "./results.ts";
import { describeWhenOver, QUESTION_SECONDS, registerTaskMethods, WAIT_SECONDS, waitForEnd } from "./tasks.ts";

/** Parts of the server: its version, the backend, and the tools that are listed by name. */
export type KayServerOptions = {
  version: string;
  openCalls(): Promise<KayCalls>;
  tools?: ToolView[];
  /** Name under which the user let this program in, used instead of the name that it sends. */
  program?: string;
  /** Whether a call is cancelled when its connection closes. On stdin and stdout this only means that the host ended. */
  closeCancels?: boolean;
};

/** Names of the one question that a call may ask in the host: in a dialog, or on kay's page. */
const DIALOG = "approval";
const PAGE = "page";

type Answer = CallToolResult | InputRequiredResult;

/**
 * Creates kay's MCP server: a search over all tools, a call by name, and the result of a call that needed the user.
 * Every call passes `POST /calls`, so the host's model can approve nothing.
 */
export function createKayServer(options: KayServerOptions): McpServer {
  const { version, openCalls, tools = [], program, closeCancels = false } = options;
  const server = new McpServer(
    { name: "kay", title: "kay", version },
    { capabilities: { tools: {}, extensions: { [TASKS_EXTENSION]: {} } }, instructions: INSTRUCTIONS },
  );
  registerTaskMethods(server, openCalls);
  const answerCall = (work: (calls: KayCalls) => Promise<Answer>): Promise<Answer> =>
    openCalls()
      .then(work)
      .catch((error: unknown) => describeProblem(error));
  const call = (name: string, input: Record<string, unknown>, context: ServerContext) =>
    answerCall((calls) =>
      runCall(calls, {
        ...{ name, input, context, server, closeCancels },
        program: program ?? getProgramName(context, server),
      }),
    );
  server.registerTool(
    "search_tools",
    {
      title: "Search tools",
      description:
        "Find the user's tools by what they do: Jira, Slack, GitHub, Gmail and other services. Returns names and input schemas for call_tool.",
      inputSchema: fromJsonSchema<{ query: string }>(QUERY_SCHEMA),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ query }) => answerCall(async (calls) => toResult({ tools: (await searchTools(calls, query)).map(toToolEntry) })),
  );
  server.registerTool(
    "call_tool",
    {
      title: "Call a tool",
      description: "Call a tool that search_tools found. Changes wait for the user's approval.",
      inputSchema: fromJsonSchema<{ name: string; input?: Record<string, unknown> }>(CALL_SCHEMA),
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    ({ name, input = {} }, context) => call(name, input, context),
  );
  server.registerTool(
    "get_result",
    {
      title: "Get the result of a call",
      description: `Get the result of a call that needed the user. Waits up to ${WAIT_SECONDS} seconds.`,
      inputSchema: fromJsonSchema<{ id: string }>(RESULT_SCHEMA),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ id }, { mcpReq: { signal } }) => answerCall(async (calls) => describeCall(await waitForEnd(calls, id, signal))),
  );
  for (const { name, title, description, access, input_schema } of tools)
    server.registerTool(
      toWireName(name),
      {
        title: title === undefined ? name : `${title}: ${name}`,
        description,
        inputSchema: fromJsonSchema<Record<string, unknown>>({ type: "object", ...input_schema }),
        annotations: {
          readOnlyHint: access === "read",
          destructiveHint: access === "destructive",
          openWorldHint: true,
        },
      },
      (input, context) => call(name, input, context),
    );
  return server;
}

async function searchTools(calls: KayCalls, query: string): Promise<ToolView[]> {
  const catalog = await calls.tools({ query });
  return catalog?.tools ?? [];
}

function toToolEntry({ name, description, access, input_schema, connected }: ToolView) {
  return { name, description, access, connected: connected ?? false, input_schema };
}

type CallOptions = {
  name: string;
  input: Record<string, unknown>;
  context: ServerContext;
  server: McpServer;
  program: string | undefined;
  closeCancels: boolean;
};

async function runCall(
  calls: KayCalls,
  { name, input, context, server, program, closeCancels }: CallOptions,
): Promise<Answer> {
  const { signal } = context.mcpReq;
  const answer = getDialogAnswer(context);
  if (answer !== undefined) return await passAnswer(calls, answer, context);
  const view = await calls.startProgramCall({ tool: name, input, ...(program ? { program } : {}) });
  const { id } = view;
  if (id === undefined) return describeCall(view);
  // A host that cancels the call no longer wants it; `kay log` reports what was already sent.
  const cancel = () => {
    if (closeCancels || !isConnectionClosed(signal.reason)) void calls.cancelGeneration(id).catch(() => {});
  };
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const pendingView = await calls.programCall(id, { waitSeconds: QUESTION_SECONDS, until: "wait", signal });
    const request = await askInHost(calls, pendingView, { program, modes: getDialogModes(context, server) });
    if (request) return inputRequired({ inputRequests: request, requestState: id });
    return await describeWhenOver(calls, id, context);
  } finally {
    // Over HTTP the signal ends with the answer too.
    signal.removeEventListener("abort", cancel);
  }
}

/**
 * Asks in the host for what a call waits for: in its dialog if the user allows that, otherwise with a link to kay's
 * page, which the host shows to the user and not to its model. Undefined if the host supports neither.
 */
async function askInHost(
  calls: KayCalls,
  { waits }: ProgramCallView,
  { program, modes }: { program: string | undefined; modes: { form: boolean; url: boolean } },
): Promise<Record<string, InputRequest> | undefined> {
  const [wait] = waits;
  if (!wait || wait.kind === "auth") return undefined;
  const message = `${wait.prompt}\n\nThis program asks: ${program ?? "it gives no name"}.`;
  if (wait.answer_in_program && modes.form)
    return { [DIALOG]: inputRequired.elicit({ message, requestedSchema: APPROVAL_SCHEMA }) };
  if (!modes.url) return undefined;
  const link = await calls.createAnswerLink(wait.id).catch(() => undefined);
  return link && { [PAGE]: inputRequired.elicitUrl({ message, url: link.url }) };
}

/** Returns the answer of the host's dialog and its call, if this request has one. */
function getDialogAnswer({ mcpReq }: ServerContext): { id: string; action: "approve" | "deny" | "cancel" } | undefined {
  const id: unknown = mcpReq.requestState();
  // The user answers on the page; that it was opened decides nothing.
  if (typeof id === "string" && inputResponse(mcpReq.inputResponses, PAGE).kind === "elicit")
    return { id, action: "cancel" };
  const answer = inputResponse(mcpReq.inputResponses, DIALOG);
  if (typeof id !== "string" || answer.kind !== "elicit") return undefined;
  if (answer.action === "cancel") return { id, action: "cancel" };
  return { id, action: answer.action === "accept" && answer.content?.approve === true ? "approve" : "deny" };
}

/** Passes on the answer of the host's dialog. The backend checks again whether a dialog may answer. */
async function passAnswer(
  calls: KayCalls,
  { id, action }: NonNullable<ReturnType<typeof getDialogAnswer>>,
  context: ServerContext,
): Promise<Answer> {
  const view = await calls.programCall(id, { waitSeconds: 0, until: "wait" });
  const question = view.waits.find((wait) => wait.answer_in_program);
  if (question && view.session_id !== undefined && action !== "cancel")
    await calls.answerInteraction(view.session_id, question.id, { action });
  return await describeWhenOver(calls, id, context);
}

const INSTRUCTIONS =
  "kay acts in the user's own accounts. Find tools with search_tools, then use call_tool. A change waits until the user approves it in kay: tell the user, then call get_result with the ID. Never repeat a call that is waiting.";

const QUERY_SCHEMA = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, maxLength: 500, description: "The task, and the service to do it with." },
  },
  required: ["query"],
} as const;

const CALL_SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", description: "Name from search_tools, such as jira.create_issue." },
    input: { type: "object", description: "Input that matches the tool's schema." },
  },
  required: ["name"],
} as const;

const RESULT_SCHEMA = {
  type: "object",
  properties: { id: { type: "string", description: "ID from a call whose status is waiting or running." } },
  required: ["id"],
} as const;

const APPROVAL_SCHEMA = {
  type: "object" as const,
  properties: { approve: { type: "boolean" as const, title: "Approve this change" } },
  required: ["approve"],
};
