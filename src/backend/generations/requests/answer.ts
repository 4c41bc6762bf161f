import type { RawBuilder } from "kysely";
import { findTool } from "#agent/calls/call-directly";
import { listAnswerTexts } from "#agent/tools/ask-user";
import type { InteractionAnswer, InteractionAnswered } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import type { InteractionResponse } from "#protocol/interactions";
import type { BackendPorts } from "../../ports.ts";
import { appendEvents, runHeldChange } from "../../store/events.ts";
import { type GenerationRow, parseGeneration, type StoredGeneration } from "../../store/generation-row.ts";
import type { GenerationRequest } from "../../store/generation-state.ts";
import { notifyGeneration } from "../../store/generation-wakes.ts";
import { findGeneration, lockGeneration, queryAsker } from "../../store/generations.ts";
import {
  answerAndClaimSql,
  answerInteractionSql,
  closeInteraction,
  findInteraction,
  queryInteraction,
  type StoredInteraction,
} from "../../store/interactions.ts";
import { readTogether } from "../../store/round-trips.ts";
import type { DbConnection } from "../../store/schema.ts";
import { runTransaction } from "../../store/wake-ups.ts";
import { buildAgentTools } from "../../tools/toolbox.ts";
import { toResponseParts } from "../calls/call-ports.ts";
import { getDelegationScope } from "../delegation.ts";
import { toStatusPart } from "../end.ts";
import type { Engine } from "../engine.ts";
import { findAnsweringClient, interactionClosedProblem } from "../pending.ts";
import { expireInteraction } from "../recovery.ts";
import { getTrace, startGenerationIn } from "./start.ts";

/**
 * Answers an approval or a form from any process at any node. The first answer before the deadline wins; later ones
 * learn which answer won. An invalid answer is refused and leaves the request open.
 * @throws Problem INTERACTION_NOT_FOUND, INTERACTION_CLOSED (details `answered`), INTERACTION_UNAVAILABLE,
 * INVALID_REQUEST
 */
export async function answerInteraction(
  ports: BackendPorts,
  engine: Engine,
  place: { installationId: string; conversationId: string; interactionId: string },
  answer: InteractionAnswer,
  { rows, store = () => [] }: { rows?: AnswerRows; store?: StoreAnswer } = {},
): Promise<InteractionAnswered> {
  const answerRows = rows ?? (await readTogether(ports.db, queryAnswerRows(ports.db, place.interactionId)));
  const [interaction] = answerRows.interaction;
  if (interaction?.installation_id !== place.installationId || interaction.conversation_id !== place.conversationId)
    throw new Problem("INTERACTION_NOT_FOUND", "No request has this ID.");
  if (interaction.status !== "open") throw interactionClosedProblem(interaction);
  const client = await findAnsweringClient(ports, interaction.conversation_id, answer.client);
  await checkAnswer(ports, interaction, answer);
  const now = ports.clock.now();
  const response: InteractionResponse = {
    interaction_id: interaction.id,
    action: answer.action,
    ...(answer.action === "approve" ? { approval_scope: answer.approval_scope ?? "once" } : {}),
    ...(answer.input === undefined ? {} : { input: answer.input }),
    ...(answer.edited_args === undefined ? {} : { edited_args: answer.edited_args }),
    ...(answer.reason === undefined ? {} : { reason: answer.reason }),
    ...(client === undefined ? {} : { client }),
    answered_at: new Date(now).toISOString(),
  };
  const answered = { ...response, session_id: interaction.conversation_id, generation_id: interaction.generation_id };
  const context = { interaction, response, now, changes: () => store(answered) };
  const claim = (await answerAndRun(ports, engine, answerRows.asker[0], context)) && {
    wake: interaction.generation_id,
  };
  const recording = claim || (await record(ports, context));
  if (recording === undefined) {
    await expireInteraction(ports, interaction, now);
    throw interactionClosedProblem((await findInteraction(ports.db, interaction.id)) ?? interaction);
  }
  ports.observe?.count("kay_interactions_total", { event: "answered" });
  if (recording.wake !== null) engine.wake(recording.wake);
  return answered;
}

/** Selects what an answer needs to know of its request. */
export function queryAnswerRows(db: DbConnection, interactionId: string) {
  return { interaction: queryInteraction(db, interactionId), asker: queryAsker(db, interactionId) };
}
type AnswerRows = { interaction: StoredInteraction[]; asker: Asker[] };
type Asker = GenerationRow & { version: string };

/** Returns changes that store the answer of the HTTP request in the same statement (`Condition`). */
type StoreAnswer = (answered: InteractionAnswered) => RawBuilder<unknown>[];

type ClosingAnswer = {
  interaction: StoredInteraction;
  response: InteractionResponse;
  now: number;
  changes(): RawBuilder<unknown>[];
};

/**
 * Stores the answer and claims the generation in one statement, in the usual case: it is paused and waits only for
 * answers.
 *
 * @returns false in any other case; then nothing is stored
 */
async function answerAndRun(
  ports: BackendPorts,
  engine: Engine,
  asker: Asker | undefined,
  { interaction, response, now, changes }: ClosingAnswer,
): Promise<boolean> {
  if (!asker || interaction.late || !engine.takesWork() || getDelegationScope(ports) === "agent") return false;
  const { version, ...paused } = asker;
  const isPaused = paused.status === "awaiting_approval" || paused.status === "awaiting_input";
  const waitsForMore = [paused.node, paused.kept_by, paused.auth, paused.cancel].some((value) => value !== null);
  if (!isPaused || waitsForMore) return false;
  const generation = tryParse(paused);
  if (!generation) return false;
  const row: StoredGeneration = { ...generation, status: "running", wake_at: null };
  if (row.request.mode !== "stream" || row.request.runsAt === "agent") return false;
  const parts = [...toResponseParts(response), toStatusPart(row, "running")];
  const events = parts.map((part) => ({ generationId: row.id, part }));
  return await engine.claim(row, async (node) => {
    const condition = answerAndClaimSql(interaction, response, { version, node, now });
    const fullCondition = { ...condition, changes: [...condition.changes, ...changes()] };
    return (await appendEvents(ports.db, row.conversation_id, events, now, fullCondition)) !== undefined;
  });
}

/** Returns nothing for a row that cannot be read: its run counts that as a fault. */
function tryParse(row: GenerationRow): StoredGeneration | undefined {
  try {
    return parseGeneration(row);
  } catch {
    return undefined;
  }
}

/**
 * Stores the whole answer or nothing, including the turn that a late answer starts.
 * @returns the new turn of a late answer, unless that waits for its turn; undefined when something else ended the
 * request first
 */
async function record(
  ports: BackendPorts,
  { interaction, response, now, changes }: ClosingAnswer,
): Promise<{ wake: string | null } | undefined> {
  const { generation_id: wake, conversation_id: conversationId } = interaction;
  const parts = toResponseParts(response).map((part) => ({ generationId: wake, part }));
  if (!interaction.late) {
    const condition = answerInteractionSql(interaction, response, now);
    const fullCondition = { ...condition, changes: [...condition.changes, ...changes()] };
    if (!(await appendEvents(ports.db, conversationId, parts, now, fullCondition))) return undefined;
    notifyGeneration(ports.db, wake);
    return { wake: null };
  }
  return await runTransaction(ports.db, async (tx) => {
    // Locked first, like everywhere, so that two writers never wait for each other.
    await lockGeneration(tx, wake);
    if (!(await closeInteraction(tx, interaction.id, "answered", response, now))) return undefined;
    await appendEvents(tx, conversationId, parts, now);
    for (const change of changes()) await runHeldChange(tx, wake, change);
    return await startLate(tx, interaction, response, { now, trace: getTrace(ports) });
  });
}

/** Starts a turn with a late answer as the user's message, after the running one: the call itself has ended. */
async function startLate(
  tx: DbConnection,
  interaction: StoredInteraction,
  { action, input = {} }: InteractionResponse,
  { now, trace }: { now: number; trace: Pick<GenerationRequest, "traceparent"> },
): Promise<{ wake: string | null }> {
  const { request, installation_id: installationId, conversation_id: conversationId } = interaction;
  const labels = new Map(request.input_schema?.fields.map(({ id, label }) => [id, label]));
  const lines = Object.entries(input).map(([id, value]) => `${labels.get(id) ?? id}: ${String(value)}`);
  const text = action === "submit" ? lines.join("\n") : `(${action})`;
  const answers = action === "submit" ? listAnswerTexts(request.input_schema?.fields ?? [], input) : [];
  const texts = answers.flatMap(({ text, proposed }) => (proposed ? [] : [text])).join("\n");
  const prompt = `${request.prompt ? `Answer to “${request.prompt}”:\n` : ""}${text}`;
  const generation = await findGeneration(tx, interaction.generation_id);
  const { timeZone, instructions, defaults, limits } = generation?.request ?? {};
  // Allowances counted for that turn alone. A dry run also covers the turn that follows from it.
  const dryRun = limits?.dryRun === true;
  const { generationId, queued } = await startGenerationIn(tx, {
    installationId,
    conversationId,
    request: {
      prompt,
      typed: texts,
      context: {},
      mode: "stream",
      interactive: true,
      confirm: false,
      source: "late_answer",
      limits: dryRun ? { dryRun } : {},
      runsAt: dryRun && generation ? generation.request.runsAt : "backend",
      ...{ timeZone, instructions, defaults },
      ...trace,
    },
    now,
  });
  return { wake: queued ? null : generationId };
}

async function checkAnswer(
  ports: BackendPorts,
  { request, installation_id }: StoredInteraction,
  answer: InteractionAnswer,
): Promise<void> {
  const { action, approval_scope: scope = "once", edited_args: edited } = answer;
  const validActions = request.interaction_type === "approval" ? ["approve", "deny"] : ["submit", "deny", "cancel"];
  if (!validActions.includes(action)) {
    const kind = request.interaction_type === "approval" ? "An approval" : "A form";
    throw new Problem("INVALID_REQUEST", `${kind} is answered with ${validActions.join(" or ")}, not with ${action}.`);
  }
  if (action !== "approve") return;
  const offeredScopes = request.approval_scopes?.map((entry) => entry.scope) ?? ["once"];
  if (!offeredScopes.includes(scope))
    throw new Problem("INVALID_REQUEST", `This can be approved for ${offeredScopes.join(", ")}, not for ${scope}.`);
  if (edited === undefined) return;
  if (!request.editable) throw new Problem("INVALID_REQUEST", "This request cannot be edited.");
  const tools = await buildAgentTools(ports, { installationId: installation_id, generationId: "" });
  findTool(tools, request.tool_name).parse(edited);
}
