import type { Caller } from "./caller.ts";
import type { ConversationCalls } from "./conversations.ts";
import type { StreamCalls } from "./stream.ts";

const CONVERSATION_CALLS = [
  "sessions",
  "session",
  "renameSession",
  "deleteSession",
  "clients",
  "setClient",
  "answerInteraction",
  "extendInteraction",
  "pending",
  "pendingRequest",
  "createAnswerLink",
  "writes",
  "generation",
  "answerAuth",
  "cancelGeneration",
  "startProgramCall",
  "programCall",
  "programs",
  "removeProgram",
  "programRequest",
  "answerProgram",
  "detachGeneration",
  "policies",
  "putPolicies",
  "approvals",
  "testApproval",
  "revokeApproval",
  "scriptTokens",
  "scriptToken",
  "createScriptToken",
  "revokeScriptToken",
  "schedules",
  "addSchedule",
  "pauseSchedule",
  "removeSchedule",
  "runSchedule",
] as const satisfies (keyof ConversationCalls)[];

/** Creates calls that few commands use and that have many schemas. They are loaded on first use. */
export function createLazyCalls(caller: Caller): StreamCalls & ConversationCalls {
  return {
    askStream: async (request, options) => {
      const { openAskStream } = await import("./stream.ts");
      const opening = await openAskStream(caller, request, options);
      if (opening.kind !== "direct") return opening;
      const { streamDirectly } = await import("./direct/open.ts");
      return streamDirectly(caller, request, options ?? {}, opening.place);
    },
    askTurn: async (request, options) => {
      const { openAskStream } = await import("./stream.ts");
      const opening = await openAskStream(caller, request, { ...options, direct: true });
      if (opening.kind !== "direct") return opening;
      const { openDirectTurn } = await import("./direct/open.ts");
      return { kind: "turn", turn: openDirectTurn(caller, request, options ?? {}, opening.place) };
    },
    events: async function* (sessionId, options) {
      const { openEvents } = await import("./stream.ts");
      yield* openEvents(caller, sessionId, options);
    },
    ...createLazyConversationCalls(caller),
  };
}

function createLazyConversationCalls(caller: Caller): ConversationCalls {
  type Any = (...args: unknown[]) => Promise<unknown>;
  const loadCall = (name: keyof ConversationCalls): Any => {
    return async (...args) => {
      const { createConversationCalls } = await import("./conversations.ts");
      return (createConversationCalls(caller)[name] as Any)(...args);
    };
  };
  return Object.fromEntries(CONVERSATION_CALLS.map((name) => [name, loadCall(name)])) as unknown as ConversationCalls;
}
