import type { ModelMessage } from "ai";
import type { AgentInput } from "#agent/agent-input";
import type { CheckedCall } from "#agent/calls/checked-call";
import { checkCall } from "#agent/calls/execute";
import { toPastCalls } from "#agent/calls/repetition";
import type { OpenStep } from "#agent/events";
import type { ServiceState } from "#agent/instructions";
import type { ModelSettings } from "#agent/models/decision";
import { createFixedCallModel } from "#agent/models/fixed-call";
import { selectModel } from "#agent/models/select";
import type { AgentTool } from "#agent/tool";
import { selectOfferedTools } from "#agent/tools/search-tools";
import type { ServiceConfiguration } from "#connectors/service";
import { decideCall } from "../approvals/decide.ts";
import { toAccount } from "../approvals/scope.ts";
import { toServices } from "../connections/services/catalog.ts";
import { findGrantFault } from "../connections/tokens/open-grant.ts";
import type { BackendPorts } from "../ports.ts";
import { queryAttachments } from "../store/attachments.ts";
import { type CallFacts, queryCallFacts } from "../store/call-facts.ts";
import { queryCalls, toStoredCall } from "../store/calls.ts";
import { queryConnections } from "../store/connections.ts";
import { queryMessages, toMessage } from "../store/conversations.ts";
import { isDatabaseAway } from "../store/database.ts";
import type { Grant } from "../store/grants.ts";
import { readTogether } from "../store/round-trips.ts";
import { createCallFactsReader } from "../tools/call-facts.ts";
import { buildAgentTools } from "../tools/toolbox.ts";
import { createAttachmentSource } from "./attachments.ts";
import type { CallContext } from "./calls/call-context.ts";
import { createCallPorts } from "./calls/call-ports.ts";
import { createDryRun } from "./calls/dry-run.ts";
import { createTargetCheck } from "./calls/late-check.ts";
import { createProvenanceReader } from "./calls/provenance.ts";
import { recordAllowance, toCallQuestion } from "./calls/questions.ts";
import { takeNewest } from "./calls/shorten.ts";
import { getOutcome, getRanOutcome, toCall } from "./calls/stored-outcomes.ts";
import type { Writer } from "./events/writer.ts";
import { readExpectedOutput } from "./wanted-output.ts";
import type { ClaimedGeneration } from "./work.ts";

/** A generation that a node runs. `writer` and `onChange` are set if its calls can reach the user. */
export type AgentInputSource = Omit<ClaimedGeneration, "writer" | "advanceChange"> & {
  signal: AbortSignal;
  writer?: Writer;
  onChange?(again: () => void): () => void;
  /** Number under which this node holds it. */
  node?: number;
  /** Whether it was created a moment ago, so that it has no calls and no requests yet. */
  isNew?: boolean;
};

/**
 * Builds the input of the loop from rows: the messages, the past calls with their outcomes, and the open step.
 * @param knownMessages the messages, if they differ from those of the conversation
 * @returns also the messages that the model has seen, to which its own are added
 */
export async function buildAgentInput(
  source: AgentInputSource,
  knownMessages?: ModelMessage[],
): Promise<{ input: AgentInput; messages: ModelMessage[] }> {
  const { ports, row, writer, request, signal, onChange } = source;
  const { history, correction } = source.progress();
  const { installation_id: installationId, id } = row;
  const modelPromise = request.call
    ? createFixedCallModel(request.call)
    : selectModel(chooseModel(ports.model(), request), ports, request.limits.outputSchema !== undefined);
  const [rows, { model, label, key, name, provider }, output] = await Promise.all([
    readRows(source, knownMessages),
    modelPromise,
    readExpectedOutput(request),
  ]);
  const { calls } = rows;
  const allMessages = knownMessages ?? rows.messages;
  const facts = createCallFactsReader(ports, row, rows.facts);
  const configurations = await toServices(ports, rows.connections);
  const isDryRun = request.limits.dryRun === true;
  const { timeZone } = request;
  const options = { dryRun: isDryRun, attachments: rows.attachments, facts, ...(timeZone ? { timeZone } : {}) };
  const held = source.node === undefined ? {} : { node: source.node };
  const owner = { installationId, generationId: id, ...held, ...options };
  const tools = await buildAgentTools(ports, owner, configurations);
  const services = listServiceStates(ports, rows.connections.grants, configurations);
  const messages = history.kind === "newest" ? takeNewest(allMessages, history.keep) : allMessages;
  const storedCalls = calls.map((call) => ({ call: toCall(call), outcome: getOutcome(call), step: call.step }));
  const ran = new Map(
    calls.flatMap((call) => {
      const outcome = getRanOutcome(call);
      return outcome ? [[call.toolCallId, outcome] as const] : [];
    }),
  );
  const settled = new Map(
    storedCalls.flatMap(({ call, outcome }) => (outcome ? [[call.toolCallId, outcome] as const] : [])),
  );
  const provenance = createProvenanceReader(
    messages,
    allMessages.slice(0, allMessages.length - messages.length),
    request.instructions,
  );
  const dryRun = createDryRun({ ports, row, request, provenance });
  const mayHold = request.mode === "answer" && !dryRun;
  const needsApproval = mayHold ? (call: CheckedCall) => holdsCall({ ...source, provenance }, call) : () => false;
  const storedStep = row.step as OpenStep | null;
  // From the rows: a held step runs exactly as it was shown.
  const open = storedStep && {
    message: storedStep.message,
    calls: storedCalls.filter(({ step }) => step > row.steps).map(({ call }) => call),
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
    needsApproval,
    ...(timeZone ? { timeZone } : {}),
    ...(request.instructions ? { instructions: request.instructions } : {}),
    ...(request.defaults ? { defaults: request.defaults } : {}),
    services,
    // The offline planner reads all tools and whole results, at no cost.
    ...(provider === "offline" ? {} : { modelName: name, slim: true, offers: offerTools(tools, services) }),
    steps: row.steps,
    past: toPastCalls(
      storedCalls.filter(({ step }) => step <= row.steps),
      (call) => checkCall(call, tools),
    ),
    ...(open ? { open } : {}),
    ...(output ? { expectedOutput: output } : {}),
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
            facts,
            onChange,
          }),
        }
      : {}),
  };
  return { input, messages };
}

/**
 * Reads the rows of a generation in one statement, with the facts that decide about its open calls. A generation that was
 * created a moment ago has no calls; the first of a conversation has no files but those of its request.
 */
async function readRows(
  { ports, row, request, isNew, ...source }: AgentInputSource,
  knownMessages: ModelMessage[] | undefined,
) {
  const { db, clock } = ports;
  const { id, installation_id, conversation_id } = row;
  const open = (row.step as OpenStep | null)?.calls.map(({ toolName }) => toolName);
  const position = { seen: source.progress().historyLength ?? 0, generationId: id };
  const isAlone = isNew && knownMessages !== undefined;
  const { messages, calls, attachments, descriptions, mcp, grants, ...facts } = await readTogether(db, {
    ...queryConnections(db, installation_id),
    messages: knownMessages ? undefined : queryMessages(db, conversation_id, position),
    calls: isNew ? undefined : queryCalls(db, id),
    attachments: isAlone ? undefined : queryAttachments(db, id),
    ...(open ? queryCallFacts(db, row, open, clock.now()) : {}),
  });
  return {
    messages: messages.map(toMessage),
    calls: calls.map(toStoredCall),
    attachments: isAlone ? (request.attachments ?? []) : attachments,
    connections: { descriptions, mcp, grants },
    facts: open && ({ ...facts, grants } as CallFacts),
  };
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
    ...toCallQuestion(source, call, account),
    writes: "auto",
  });
  await recordAllowance(source, call, decision, account);
  return decision.mode === "confirm_before_execution" && decision.grant === undefined;
}

/** Lists the services for the model: whether each is connected, and as which account. */
function listServiceStates(
  ports: Pick<BackendPorts, "keys">,
  grants: Grant[],
  services: ServiceConfiguration[],
): ServiceState[] {
  return services.flatMap((configuration): ServiceState[] => {
    const { client, service } = configuration;
    const { name, title } = service;
    const grant = grants.find((candidate) => candidate.service === name);
    if (grant && findGrantFault(ports, configuration, grant) === undefined)
      return [{ name, title, connected: true, account: toAccount(grant).words }];
    return client ? [{ name, title, connected: false }] : [];
  });
}
