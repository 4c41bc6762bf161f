import type { ModelMessage } from "ai";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { InteractionResponse, Preview, StreamPart } from "#protocol/events";
import type { Outcome, Wait } from "../agent/events.ts";
import type { CallPorts, Checked, Gate } from "../agent/execute.ts";
import type { Account } from "../interactions/account.ts";
import { rememberGrant } from "../interactions/approvals.ts";
import { type Decision, decide } from "../interactions/decide.ts";
import type { BackendPorts } from "../ports.ts";
import { settleCall } from "../store/calls.ts";
import type { StoredGeneration } from "../store/generations.ts";
import { interactionOf } from "../store/interactions.ts";
import { type Asker, askedAt, interactive, waitOf } from "./interact.ts";
import type { GenerationOptions } from "./options.ts";
import { originsOf } from "./origin.ts";
import { storedRun } from "./outcomes.ts";
import type { Writer } from "./writer.ts";

/** Places of kay's own requests among those of a call; a tool's own come between them. */
const BEFORE = 0;
const TOOLS_OWN = 1;
const AFTER = 10_000;

/** Whether the tool itself asks at this place. */
export function isToolsOwn(ordinal: number): boolean {
  return ordinal >= TOOLS_OWN && ordinal < AFTER;
}

/** How often a service is asked for in one turn; a consent that does not help is not asked for without end (case G15). */
const MOST_AUTH = 2;

export type CallWorld = {
  ports: BackendPorts;
  row: StoredGeneration;
  options: GenerationOptions;
  writer: Writer;
  /** What the model has seen, to tell where arguments come from. */
  messages: ModelMessage[];
  settled: Map<string, Outcome>;
  /** Those that have run and are still to be looked at. */
  ran: Map<string, Outcome>;
  onChange(again: () => void): () => void;
};

/** How the calls of a generation meet people: each approval, form and missing connection is a row, and the call is run again when it changed. */
export function callPorts(world: CallWorld): CallPorts {
  return {
    settled: (toolCallId) => world.settled.get(toolCallId),
    ran: (toolCallId) => world.ran.get(toolCallId),
    gate: (call, account) => gate(world, call, account),
    after: (call, outcome) => after(world, call, outcome),
    missing: (call, integrations, reason) => {
      const spent = integrations.find((name) => (world.options.authAsked?.[name] ?? 0) >= MOST_AUTH);
      if (spent === undefined || isAwaited(world.row, spent))
        return { kind: "auth", toolCallId: call.toolCallId, integrations, reason };
      return new Problem("SERVICE_FAILED", `${spent} still refuses the connection after it was made anew. ${reason}`, {
        hint: `Run \`kay disconnect ${spent}\`, then \`kay connect ${spent}\`.`,
      });
    },
    attend: (call, push) =>
      interactive(askerOf(world, call), TOOLS_OWN, (text) =>
        push({
          type: "data-tool-log",
          data: {
            tool_call_id: call.toolCallId,
            entries: [{ at: new Date(world.ports.clock.now()).toISOString(), text: clean(text) }],
          },
        }),
      ),
    onChange: world.onChange,
  };
}

/**
 * Tell a handler that waits for a person that nobody will answer any more: it is run once more up to its request, whose `onCancel` is called,
 * and left there.
 */
export async function tellCancelled(
  world: Pick<CallWorld, "ports" | "row" | "options" | "writer">,
  call: Checked,
): Promise<void> {
  const { toolCallId, tool, parsed } = call;
  const gate = await interactionOf(world.ports.db, world.row.id, toolCallId, BEFORE);
  const edited = gate?.response?.edited_args;
  const { waiting, ...people } = interactive(askerOf(world, call), TOOLS_OWN, () => {});
  const context = { toolCallId, signal: AbortSignal.abort(), report: () => {}, ...people };
  await Promise.race([tool.run(edited ? tool.parse(edited) : parsed, context), waiting]);
}

async function gate(world: CallWorld, call: Checked, account: Account | undefined): Promise<Gate> {
  const run: Gate = { kind: "run", input: call.parsed };
  if (world.options.approved || call.tool.own) return run;
  const decision = await decided(world, call, account);
  if (decision.mode !== "confirm_before_execution" && !world.options.confirm) return run;
  if (decision.grant && !world.options.confirm) return run;
  const asked = await askedAt(askerOf(world, call), BEFORE, {
    type: "approval",
    prompt: call.summary,
    preview: previewOf(world, call, account),
    editable: true,
    approvalScopes: decision.offer.scopes,
  });
  if (asked.status === "open") return { kind: "wait", wait: waitOf(asked) };
  const { response } = asked;
  if (asked.status !== "answered" || response === null) return { kind: "denied", reason: unanswered(asked.status) };
  if (response.action !== "approve") return { kind: "denied", reason: reasonOf(response) };
  return await approved(world, call, account, response);
}

/** What was approved runs: as it was shown, or exactly as it was edited. What is remembered covers what runs. */
async function approved(
  world: CallWorld,
  call: Checked,
  account: Account | undefined,
  { edited_args: edited, approval_scope: scope = "once" }: InteractionResponse,
): Promise<Gate> {
  const input = edited ? call.tool.parse(edited) : call.parsed;
  const { installation_id: installationId, conversation_id: conversationId } = world.row;
  if (scope !== "once") {
    const { offer } = await decided(world, { ...call, parsed: input }, account);
    if (offer.scopes.some((offered) => offered.scope === scope))
      await rememberGrant(world.ports, { installationId, conversationId, scope, offer });
  }
  return { kind: "run", input, ...(edited ? { edited: true } : {}) };
}

/** A tool that is to be looked at after it ran: the model goes on when the person has seen what it came to. */
async function after(world: CallWorld, call: Checked, outcome: Outcome): Promise<Outcome | Wait> {
  if (!("output" in outcome) || call.tool.own) return outcome;
  // It has run: that its service is not connected any more changes nothing about it.
  const account = await call.tool.ready?.().catch(() => undefined);
  const decision = await decided(world, call, account);
  if (decision.mode !== "confirm_after_execution") return outcome;
  await keep(world, outcome);
  const asker = askerOf(world, call);
  const asked = await askedAt(asker, AFTER, {
    type: "approval",
    prompt: `${call.summary}: go on with this?`,
    preview: { ...previewOf(world, call, undefined), result: clean(outcome.output.text) },
    approvalScopes: [{ scope: "once", words: "go on" }],
  }).catch((error: unknown) => {
    // Nobody can look at it now; it is done in any case, and the answer says so.
    if (error instanceof Problem && error.code === "INTERACTION_UNAVAILABLE") return undefined;
    throw error;
  });
  if (asked === undefined) return outcome;
  if (asked.status === "open") return waitOf(asked);
  if (asked.response?.action === "approve") return outcome;
  const reason = asked.response ? reasonOf(asked.response) : unanswered(asked.status);
  const words = `It was done (${call.summary}), but the person does not want to go on with it: ${reason}`;
  return { call: outcome.call, problem: new Problem("DENIED", words, { hint: "" }) };
}

/** What was shown is what the model gets: the tool is not run again for it. */
async function keep({ writer, row, ran }: CallWorld, outcome: Outcome): Promise<void> {
  const { toolCallId } = outcome.call;
  if (ran.has(toolCallId)) return;
  await writer.commit([], (tx) => settleCall(tx, row.id, toolCallId, storedRun(outcome)));
  ran.set(toolCallId, outcome);
}

function decided(world: CallWorld, call: Checked, account: Account | undefined): Promise<Decision> {
  const { row, ports } = world;
  return decide(ports, {
    installationId: row.installation_id,
    conversationId: row.conversation_id,
    tool: call.tool,
    input: call.parsed,
    writes: "confirm_before_execution",
    ...(account ? { account } : {}),
  });
}

function previewOf({ messages }: CallWorld, call: Checked, account: Account | undefined): Preview {
  return {
    summary: call.summary,
    service: call.tool.service,
    access: call.access,
    ...(account ? { account: account.words } : {}),
    fields: originsOf(call.parsed, messages),
  };
}

function askerOf(
  { ports, writer, row, options }: Pick<CallWorld, "ports" | "row" | "options" | "writer">,
  { toolCallId, toolName }: Checked,
): Asker {
  return {
    ports,
    writer,
    installationId: row.installation_id,
    conversationId: row.conversation_id,
    generationId: row.id,
    toolCallId,
    toolName,
    asks: options.mode === "stream",
  };
}

/** Whether the service is already among those that are waited for. */
function isAwaited({ auth }: StoredGeneration, service: string): boolean {
  return (auth as { integrations?: string[] } | null)?.integrations?.includes(service) ?? false;
}

function reasonOf({ reason, client }: InteractionResponse): string {
  const by = client ? ` (${clean(client, { lines: false })})` : "";
  return reason ? `The person said no: ${clean(reason)}${by}` : `The person said no${by}.`;
}

function unanswered(status: string): string {
  return status === "expired"
    ? "Nobody answered in time, so it was not done."
    : "It was cancelled before it was answered.";
}

/** The parts that tell how an interaction ended. */
export function responseParts(response: InteractionResponse): StreamPart[] {
  return [{ type: "data-interaction-response", id: response.interaction_id, data: response }];
}
