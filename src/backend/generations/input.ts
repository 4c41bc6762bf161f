import type { ModelMessage } from "ai";
import type { AgentInput } from "#agent/agent-input";
import type { CheckedCall } from "#agent/calls/checked-call";
import { checkCall } from "#agent/calls/execute";
import { toPastCalls } from "#agent/calls/repetition";
import type { OpenStep } from "#agent/events";
import type { ModelSettings } from "#agent/models/decision";
import { createFixedCallModel } from "#agent/models/fixed-call";
import { selectModel } from "#agent/models/select";
import type { AgentTool } from "#agent/tool";
import { selectOfferedTools } from "#agent/tools/search-tools";
import { decideCall } from "../approvals/decide.ts";
import { listServices } from "../connections/services/catalog.ts";
import { listCalls } from "../store/calls.ts";
import { loadMessages } from "../store/conversations.ts";
import { isDatabaseAway } from "../store/database.ts";
import { listServiceStates } from "../tools/service-states.ts";
import { buildAgentTools } from "../tools/toolbox.ts";
import { createAttachmentSource } from "./attachments.ts";
import type { CallContext } from "./calls/call-context.ts";
import { createCallPorts } from "./calls/call-ports.ts";
import { createDryRun } from "./calls/dry-run.ts";
import { createTargetCheck } from "./calls/late-check.ts";
import { createProvenanceReader } from "./calls/provenance.ts";
import { recordAllowance } from "./calls/questions.ts";
import { takeNewest } from "./calls/shorten.ts";
import { getOutcome, getRanOutcome, toCall } from "./calls/stored-outcomes.ts";
import type { Writer } from "./events/writer.ts";
import { getWantedOutput } from "./wanted-output.ts";
import type { ClaimedGeneration } from "./work.ts";

/** A generation that a node works on; `writer` and `onChange` are for one whose calls meet people. */
export type AgentInputSource = Omit<ClaimedGeneration, "writer" | "advanceSql"> & {
  signal: AbortSignal;
  writer?: Writer;
  onChange?(again: () => void): () => void;
  /** Whether it was created a moment ago, so that it has no calls and no requests yet. */
  isNew?: boolean;
};

/**
 * Builds the input of the loop from rows: the messages, the past calls with their outcomes, and the open step.
 * @param said the messages, if they are not those of the conversation
 * @returns also the messages that the model has seen, to which its own are added
 */
export async function buildAgentInput(
  source: AgentInputSource,
  said?: ModelMessage[],
): Promise<{ input: AgentInput; messages: ModelMessage[] }> {
  const { ports, row, writer, request, signal, onChange } = source;
  const { history, historyLength, correction } = source.progress();
  const { installation_id: installationId, conversation_id: conversation, id } = row;
  const seen = historyLength ?? 0;
  const listing = listServices(ports, installationId);
  const owner = {
    ...{ installationId, generationId: id, dryRun: request.limits.dryRun === true },
    // A new conversation has no other files than those of its first request.
    ...(source.isNew ? { attachments: request.attachments ?? [] } : {}),
  };
  const selecting = request.call
    ? Promise.resolve(createFixedCallModel(request.call))
    : selectModel(chooseModel(ports.model(), request), ports);
  // The offline planner reads all tools and whole results; that costs it nothing.
  const stating = Promise.all([selecting, listing]).then(([{ provider }, configured]) =>
    provider === "offline" ? undefined : listServiceStates(ports, installationId, configured),
  );
  const [all, tools, calls, services, { model, label, key, name, provider }, wanted] = await Promise.all([
    said ?? loadMessages(ports.db, conversation, { seen, generationId: id }),
    listing.then((configured) => buildAgentTools(ports, owner, configured)),
    source.isNew ? [] : listCalls(ports.db, id),
    stating,
    selecting,
    getWantedOutput(request),
  ]);
  const messages = history.kind === "newest" ? takeNewest(all, history.keep) : all;
  const known = calls.map((call) => ({ call: toCall(call), outcome: getOutcome(call), step: call.step }));
  const ran = new Map(
    calls.flatMap((call) => {
      const outcome = getRanOutcome(call);
      return outcome ? [[call.toolCallId, outcome] as const] : [];
    }),
  );
  const settled = new Map(known.flatMap(({ call, outcome }) => (outcome ? [[call.toolCallId, outcome] as const] : [])));
  const provenance = createProvenanceReader(messages, all.slice(0, all.length - messages.length), request.instructions);
  const dryRun = createDryRun({ ports, row, request, provenance });
  const mayHold = request.mode === "answer" && !dryRun;
  const holds = mayHold ? (call: CheckedCall) => holdsCall({ ...source, provenance }, call) : () => false;
  const stored = row.step as OpenStep | null;
  // As the rows have it: what was held is run exactly as it was shown.
  const open = stored && {
    message: stored.message,
    calls: known.filter(({ step }) => step > row.steps).map(({ call }) => call),
  };
  const input: AgentInput = {
    messages: [...messages],
    tools,
    model,
    label,
    ...(key ? { key } : {}),
    ...(ports.observe ? { watch: { observe: ports.observe, model: name } } : {}),
    signal,
    now: ports.clock.now(),
    isFatal: isDatabaseAway,
    holds,
    ...(request.timeZone ? { timeZone: request.timeZone } : {}),
    ...(request.instructions ? { instructions: request.instructions } : {}),
    ...(request.defaults ? { defaults: request.defaults } : {}),
    ...(services ? { modelName: name, services, slim: true, offers: offerTools(tools, services) } : {}),
    steps: row.steps,
    past: toPastCalls(
      known.filter(({ step }) => step <= row.steps),
      (call) => checkCall(call, tools),
    ),
    ...(open ? { open } : {}),
    ...(wanted ? { wanted } : {}),
    ...(correction ? { mismatch: correction } : {}),
    ...(request.limits.maxSteps ? { mostSteps: request.limits.maxSteps } : {}),
    ...(dryRun ? { dryRun } : {}),
    ...(request.mode === "answer" && source.progress().approval === "granted"
      ? { verify: createTargetCheck(ports, id) }
      : {}),
    ...(request.confirm ? { plan: true } : {}),
    ...createAttachmentSource(ports, id, messages, provider),
    ...(request.mode === "stream" && writer && onChange
      ? {
          calls: createCallPorts({
            ...source,
            writer,
            provenance,
            settled,
            ran,
            closed: new Map(),
            asked: new Set(),
            onChange,
          }),
        }
      : {}),
  };
  return { input, messages };
}

function chooseModel(settings: ModelSettings, { model }: { model?: string }): ModelSettings {
  return model === undefined ? settings : { ...settings, model, where: "the request" };
}

function offerTools(
  tools: AgentTool[],
  services: { name: string; connected: boolean }[],
): NonNullable<AgentInput["offers"]> {
  const connected = services.filter((service) => service.connected).map(({ name }) => name);
  return (messages, past) => selectOfferedTools(tools, { messages, past, connected });
}

/**
 * Decides whether a call ends a waiting request with a confirmation (docs/protocol.md). Under `confirm` every call does
 * at first, and every further write after an approval. Otherwise only destructive calls do, and calls that a policy
 * holds.
 */
async function holdsCall(
  source: AgentInputSource & Pick<CallContext, "provenance">,
  call: CheckedCall,
): Promise<boolean> {
  const { ports, row, request } = source;
  if (call.tool.own && !request.confirm) return false;
  if (request.confirm) return call.access !== "read" || (row.step === null && row.steps === 0);
  const account = await call.tool.ready?.().catch(() => undefined);
  const decision = await decideCall(ports, {
    installationId: row.installation_id,
    conversationId: row.conversation_id,
    tool: call.tool,
    input: call.parsed,
    writes: "auto",
    provenance: source.provenance(),
    allow: request.limits.allow ?? [],
    ...(account ? { account } : {}),
  });
  await recordAllowance(source, call, decision, account);
  return decision.mode === "confirm_before_execution" && decision.grant === undefined;
}
