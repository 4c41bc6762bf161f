import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { InteractionResponse, Preview } from "#protocol/events";
import type { Outcome, Wait } from "../agent/events.ts";
import type { Allowance, Checked, Gate } from "../agent/execute.ts";
import type { Account } from "../interactions/account.ts";
import { rememberGrant } from "../interactions/approvals.ts";
import { type Decision, decide } from "../interactions/decide.ts";
import { callSettled } from "../store/calls.ts";
import { interactionOf, type StoredInteraction } from "../store/interactions.ts";
import { AFTER, askerOf, BEFORE, type CallWorld, placeOf } from "./call-world.ts";
import { askedAt, askedNow, waitOf } from "./interact.ts";
import type { GenerationOptions } from "./options.ts";
import { originsOf } from "./origin.ts";
import { storedRun } from "./outcomes.ts";

/** What was asked once is decided by its answer, whatever the person's policies and approvals say meanwhile. */
export async function gate(world: CallWorld, call: Checked, account: Account | undefined): Promise<Gate> {
  const run: Gate = { kind: "run", input: call.parsed };
  if (world.options.approved || call.tool.own) return run;
  const before =
    world.closed.get(placeOf(call.toolCallId, BEFORE)) ??
    (await interactionOf(world.ports.db, world.row.id, call.toolCallId, BEFORE));
  const asked = before ?? (await askFirst(world, call, account));
  if ("allowed" in asked) return { ...run, ...asked };
  if (asked.status === "open") return { kind: "wait", wait: waitOf(asked) };
  const { response } = asked;
  if (asked.status !== "answered" || response === null) return { kind: "denied", reason: unanswered(asked.status) };
  if (response.action !== "approve") return { kind: "denied", reason: reasonOf(response) };
  return await approved(world, call, account, response);
}

/** Asks where that is needed; where it is not, says what allowed it. */
async function askFirst(
  world: CallWorld,
  call: Checked,
  account: Account | undefined,
): Promise<StoredInteraction | { allowed: Allowance | undefined }> {
  const decision = await decided(world, call, account);
  const { mode, grant, offer } = decision;
  const asks = world.options.confirm || (mode === "confirm_before_execution" && grant === undefined);
  if (!asks) return { allowed: noteAllowed(world.options, call, decision, account) };
  return await askedNow(askerOf(world, call), BEFORE, {
    type: "approval",
    prompt: call.summary,
    preview: previewOf(world, call, account),
    editable: true,
    approvalScopes: offer.scopes,
  });
}

/** What the caller allowed is told with the receipt of the call, and as whom it ran. */
export function noteAllowed(
  options: GenerationOptions,
  { toolCallId }: Checked,
  { allowed: allowed_by }: Decision,
  account: Account | undefined,
): Allowance | undefined {
  if (allowed_by === undefined) return undefined;
  const allowance = { allowed_by, ...(account ? { account: account.words } : {}) };
  options.allowed = { ...options.allowed, [toolCallId]: allowance };
  return allowance;
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
export async function after(world: CallWorld, call: Checked, outcome: Outcome): Promise<Outcome | Wait> {
  if (!("output" in outcome) || call.tool.own) return outcome;
  // What is asked about afterwards was kept first.
  const kept = world.ran.has(call.toolCallId);
  const before = kept ? await interactionOf(world.ports.db, world.row.id, call.toolCallId, AFTER) : undefined;
  if (before === undefined && !(await isLookedAt(world, call))) return outcome;
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

/** Nothing but the tool or the arguments asks for it; policies and approvals may make it a question before the call instead. */
async function isLookedAt(world: CallWorld, call: Checked): Promise<boolean> {
  const { tool, parsed } = call;
  if (![tool.mode, tool.modeOf?.(parsed)].includes("confirm_after_execution")) return false;
  // It has run: that its service is not connected any more changes nothing about it.
  const account = await tool.ready?.().catch(() => undefined);
  return (await decided(world, call, account)).mode === "confirm_after_execution";
}

/** What was shown is what the model gets: the tool is not run again for it. */
async function keep({ writer, ran }: CallWorld, outcome: Outcome): Promise<void> {
  const { toolCallId } = outcome.call;
  if (ran.has(toolCallId)) return;
  await writer.commit([], [callSettled(toolCallId, storedRun(outcome))]);
  ran.set(toolCallId, outcome);
}

function decided(world: CallWorld, call: Checked, account: Account | undefined): Promise<Decision> {
  const { row, ports, options } = world;
  return decide(ports, {
    installationId: row.installation_id,
    conversationId: row.conversation_id,
    tool: call.tool,
    input: call.parsed,
    writes: "confirm_before_execution",
    allow: options.bounds?.allow ?? [],
    ...(account ? { account } : {}),
  });
}

/** What a call would do, in words and field by field. */
export function previewOf(
  { messages }: Pick<CallWorld, "messages">,
  call: Checked,
  account: Account | undefined,
): Preview {
  return {
    summary: call.summary,
    service: call.tool.service,
    access: call.access,
    ...(account ? { account: account.words } : {}),
    fields: originsOf(call.parsed, messages),
  };
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
