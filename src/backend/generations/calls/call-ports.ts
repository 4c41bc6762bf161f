import type { CallPorts, CheckedCall } from "#agent/calls/checked-call";
import { clean } from "#protocol/clean";
import { Cancellation, Problem } from "#protocol/errors";
import type { StreamPart } from "#protocol/events";
import type { InteractionResponse } from "#protocol/interactions";
import type { ClaimedGeneration, ClaimedRow } from "../work.ts";
import { AFTER_CALL, type CallContext, DURING_CALL, isBeforeCall, toAsker } from "./call-context.ts";
import { gateCall, gateResult } from "./gate.ts";
import { toWait } from "./interact.ts";
import { findEdit } from "./late-check.ts";
import { askTogether } from "./questions.ts";
import { createInteractive } from "./tool-interactions.ts";

/** Whether the tool itself asks at this place. */
export function isDuringCall(ordinal: number): boolean {
  return ordinal >= DURING_CALL && ordinal < AFTER_CALL;
}

/** How often one turn asks for a service. A consent that does not help is not requested endlessly. */
const MOST_AUTH = 2;

/**
 * Creates the ports through which calls reach the user. Each approval, form and missing connection is a row, and the
 * call runs again when the row changes.
 */
export function createCallPorts(context: CallContext): CallPorts {
  return {
    findOutcome: (toolCallId) => context.settled.get(toolCallId),
    findUnreviewedOutcome: (toolCallId) => context.ran.get(toolCallId),
    loadOpenRequests: async (tools) => {
      await context.writer.commit([]);
      const { interactions } = await context.facts.read(tools);
      for (const { tool_call_id } of interactions) context.asked.add(tool_call_id);
      // By ordinal, because questions that kay asked at the same moment have no other order.
      for (const interaction of interactions
        .filter(({ ordinal }) => isBeforeCall(ordinal))
        .sort((a, b) => a.ordinal - b.ordinal)) {
        if (interaction.status === "open") context.closed.delete(interaction.tool_call_id);
        else context.closed.set(interaction.tool_call_id, interaction);
      }
      const open = interactions.filter(({ status, late }) => status === "open" && !late);
      return new Map(open.map((interaction) => [interaction.tool_call_id, toWait(interaction)]));
    },
    askTogether: (calls) => askTogether(context, calls),
    gate: (call, account) => gateCall(context, call, account),
    reviewOutcome: (call, outcome) => gateResult(context, call, outcome),
    handleMissingConnection: (call, integrations, reason) => {
      const { declinedServices, authAttempts } = context.progress();
      const declined = integrations.filter((name) => declinedServices.includes(name));
      if (declined.length > 0)
        return new Problem("AUTH_REQUIRED", `The user continues without connecting ${declined.join(" and ")}.`, {
          hint: `Run \`kay connect ${declined.join(" ")}\`, then ask again.`,
          details: { integrations: declined },
        });
      const exhausted = integrations.find((name) => (authAttempts[name] ?? 0) >= MOST_AUTH);
      if (exhausted === undefined || isAwaited(context.row, exhausted))
        return { kind: "auth", toolCallId: call.toolCallId, integrations, reason };
      return new Problem(
        "SERVICE_FAILED",
        `${exhausted} still rejects the connection after it was renewed. ${reason}`,
        {
          hint: `Run \`kay disconnect ${exhausted}\`, then \`kay connect ${exhausted}\`.`,
        },
      );
    },
    attend: (call, push) => {
      context.facts.forget();
      return createInteractive(toAsker(context, call), DURING_CALL, (text) =>
        push({
          type: "data-tool-log",
          data: {
            tool_call_id: call.toolCallId,
            entries: [{ at: new Date(context.ports.clock.now()).toISOString(), text: clean(text) }],
          },
        }),
      );
    },
    onChange: context.onChange,
  };
}

/**
 * Tells a handler that waits for the user that no answer will come. It runs again up to its request, whose `onCancel`
 * is called, and is then abandoned.
 */
export async function notifyCancelled(generation: ClaimedGeneration, call: CheckedCall): Promise<void> {
  const { toolCallId, tool, parsed } = call;
  const edited = await findEdit(generation.ports.db, generation.row.id, toolCallId);
  const { waiting, ...people } = createInteractive(toAsker(generation, call), DURING_CALL, () => {});
  const context = {
    toolCallId,
    signal: AbortSignal.abort(new Cancellation("The request was canceled.")),
    report: () => {},
    ...people,
  };
  await Promise.race([tool.run(edited ? tool.parse(edited) : parsed, context), waiting]);
}

/** Whether the generation already waits for this service. */
function isAwaited({ auth }: ClaimedRow, service: string): boolean {
  return auth?.integrations.includes(service) ?? false;
}

/** Returns the parts that report how an interaction ended. */
export function toResponseParts(response: InteractionResponse): StreamPart[] {
  return [{ type: "data-interaction-response", id: response.interaction_id, data: response }];
}
