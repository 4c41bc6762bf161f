import { callToolDirectly, createDirectCallId, findTool } from "#agent/calls/call-directly";
import { rejectUnknownFields } from "#agent/calls/input";
import type { Outcome } from "#agent/events";
import { cleanLine } from "#protocol/clean";
import { Problem, toProblemBody } from "#protocol/errors";
import type { ProgramCallRequest, ProgramCallView } from "#protocol/program-calls";
import { shortenId } from "#protocol/short-id";
import { decideCall } from "../../approvals/decide.ts";
import { isTrusted } from "../../approvals/policies.ts";
import { createProvenance } from "../../approvals/provenance.ts";
import type { BackendPorts } from "../../ports.ts";
import { listCalls } from "../../store/calls.ts";
import { createConversation } from "../../store/conversations.ts";
import { findLastEventNumber } from "../../store/events.ts";
import type { StoredGeneration } from "../../store/generation-row.ts";
import type { GenerationRequest } from "../../store/generation-state.ts";
import { countOpenCalls } from "../../store/generations.ts";
import { lockInstallation } from "../../store/installations.ts";
import { listInteractions } from "../../store/interactions.ts";
import { listPolicies } from "../../store/policies.ts";
import type { DbConnection } from "../../store/schema.ts";
import { runTransaction } from "../../store/wake-ups.ts";
import { buildServiceTools } from "../../tools/toolbox.ts";
import { listRunReceipts } from "../calls/dry-run.ts";
import { getOutcome } from "../calls/stored-outcomes.ts";
import type { Engine } from "../engine.ts";
import type { LinkRequest } from "../request.ts";
import { findOwnGeneration } from "./auth.ts";
import { getTrace, startGenerationIn } from "./start.ts";

/** Name of a program that gives none. */
const UNNAMED_PROGRAM = "another program";

/** Calls of one program of `/mcp` that may be open at a time. */
const OPEN_LIMIT = 20;

/**
 * Makes one call for another program. A read that no policy holds runs at once. Everything else becomes a separate
 * generation with one call and no model, with the same approvals, effects and receipts as any other write. Nothing that
 * the program sends counts as the user's words.
 *
 * @throws Problem NOT_FOUND, INVALID_REQUEST, AUTH_REQUIRED, or what the service answered to a read
 */
export async function startProgramCall(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  request: ProgramCallRequest,
  { link, signal, programId }: { link: LinkRequest; signal: AbortSignal; programId?: string },
): Promise<ProgramCallView> {
  const { tool: name, input = {} } = request;
  const program = cleanLine(request.program ?? "", 60) || UNNAMED_PROGRAM;
  const id = createDirectCallId();
  const tool = findTool(await buildServiceTools(ports, { installationId, generationId: id }), name);
  rejectUnknownFields(tool, input);
  const parsed = tool.parse(input);
  const account = await tool.ready?.();
  const { mode } = await decideCall(ports, {
    installationId,
    tool,
    input: parsed,
    provenance: createProvenance({
      own: [],
      foreign: [{ source: program, service: "", text: JSON.stringify(input) }],
    }),
    writes: "confirm_before_execution",
    peek: true,
    ...(account ? { account } : {}),
  });
  if (tool.access === "read" && mode === "auto") {
    const { output, receipts } = await callToolDirectly(tool, input, { id, signal });
    return { tool: name, status: "done", output, receipts, waits: [] };
  }
  const prompt = `${program}: ${cleanLine(tool.summary(parsed), 100)}`;
  const call = { tool: name, input, program, ...(programId === undefined ? {} : { program_id: programId }) };
  const generationId = await start(ports, installationId, { ...call, prompt, link });
  engine.wake(generationId);
  return viewCall(ports, await findOwnGeneration(ports, installationId, generationId));
}

/**
 * Checks within the transaction that adds a call: its lock makes two calls at once wait for each other.
 *
 * @throws Problem RATE_LIMITED if too many calls of a program wait for the user
 */
async function checkOpenCalls(db: DbConnection, installationId: string, programId: string): Promise<void> {
  await lockInstallation(db, installationId);
  if ((await countOpenCalls(db, installationId, programId)) < OPEN_LIMIT) return;
  throw new Problem("RATE_LIMITED", `${OPEN_LIMIT} calls of this program are waiting for the user.`, {
    hint: "Ask the user to answer them with `kay pending`.",
  });
}

async function start(
  ports: BackendPorts,
  installationId: string,
  { prompt, link, ...call }: NonNullable<GenerationRequest["call"]> & { prompt: string; link: LinkRequest },
): Promise<string> {
  const now = ports.clock.now();
  const request = {
    prompt,
    context: {},
    mode: "stream",
    interactive: true,
    confirm: false,
    source: "action",
    limits: {},
    call: { ...call, input: { ...call.input } },
    runsAt: "backend",
    ...getTrace(ports),
  } as const;
  return await runTransaction(ports.db, async (tx) => {
    if (call.program_id !== undefined) await checkOpenCalls(tx, installationId, call.program_id);
    const conversationId = await createConversation(tx, { installationId, interactive: true, title: prompt, now });
    const generation = await startGenerationIn(tx, { installationId, conversationId, request, now });
    for (const change of link.changes(generation)) await change.execute(tx);
    link.begin();
    return generation.generationId;
  });
}

/**
 * Returns a call when it ends, when it needs the user, or after `waitMs`.
 *
 * @param programId the program of `/mcp` that asks, which may see only its own calls
 * @throws Problem GENERATION_NOT_FOUND, also for any other generation
 */
export async function waitForProgramCall(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  id: string,
  { waitMs, signal, past, programId }: { waitMs: number; signal: AbortSignal; past?: "waiting"; programId?: string },
): Promise<ProgramCallView> {
  const readView = async () => viewCall(ports, await findOwnGeneration(ports, installationId, id), programId);
  const isOver = ({ status }: ProgramCallView) => status !== "running" && status !== past;
  const { conversation_id: conversation } = await findOwnGeneration(ports, installationId, id);
  const after = await findLastEventNumber(ports.db, conversation);
  let view = await readView();
  if (isOver(view) || waitMs <= 0) return view;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  for await (const _ of engine.hub.follow(conversation, after, limit)) {
    view = await readView();
    if (isOver(view)) return view;
  }
  return view;
}

async function viewCall(ports: BackendPorts, row: StoredGeneration, programId?: string): Promise<ProgramCallView> {
  const { call } = row.request;
  if (!call || (programId !== undefined && call.program_id !== programId))
    throw new Problem("GENERATION_NOT_FOUND", "No call has this ID.");
  const [storedCall] = await listCalls(ports.db, row.id);
  const outcome = storedCall && getOutcome(storedCall);
  const waits = outcome || row.finished_at !== null ? [] : await listWaits(ports, row);
  const receipts = await listRunReceipts(ports.db, row);
  const times = {
    created_at: row.created_at.toISOString(),
    ...(row.finished_at ? { finished_at: row.finished_at.toISOString() } : {}),
  };
  const base = { id: row.id, tool: call.tool, session_id: row.conversation_id, receipts, waits, ...times };
  if (outcome) return { ...base, ...describeOutcome(outcome) };
  if (row.finished_at === null) return { ...base, status: waits.length > 0 ? "waiting" : "running" };
  const isFailed = row.status === "error";
  const problem = isFailed
    ? new Problem("INTERNAL", "The call failed.", {
        hint: `Run \`kay attach ${shortenId(row.conversation_id)}\` to see why.`,
      })
    : new Problem("CANCELLED", "The call was canceled; nothing was done.");
  return { ...base, status: isFailed ? "failed" : "cancelled", problem: toProblemBody(problem) };
}

function describeOutcome(outcome: Outcome): Pick<ProgramCallView, "status" | "output" | "problem"> {
  if ("denied" in outcome) return { status: "denied", problem: { code: "DENIED", message: outcome.denied } };
  if ("problem" in outcome) return { status: "failed", problem: toProblemBody(outcome.problem) };
  const { data, text, url } = outcome.output;
  return { status: "done", output: { data: data ?? null, text, ...(url ? { url } : {}) } };
}

async function listWaits(ports: BackendPorts, row: StoredGeneration): Promise<ProgramCallView["waits"]> {
  const open = (await listInteractions(ports.db, row.id)).filter(({ status }) => status === "open");
  const policies = open.length > 0 ? await listPolicies(ports.db, row.installation_id) : [];
  const requests = open.map(({ id, request, expires_at }) => ({
    id,
    kind: request.interaction_type,
    prompt: cleanLine(request.preview?.summary ?? request.prompt ?? request.tool_name ?? "", 200),
    expires_at: expires_at.toISOString(),
    // A dialog of the program is not the user's terminal: the program can answer it alone.
    answer_in_program:
      request.interaction_type === "approval" && request.preview?.access === "write" && isTrusted(policies, "write"),
  }));
  if (!row.auth) return requests;
  const { integrations, expires_at } = row.auth;
  const prompt = `Connect ${integrations.join(" and ")}`;
  return [...requests, { id: row.id, kind: "auth", prompt, expires_at, answer_in_program: false }];
}
