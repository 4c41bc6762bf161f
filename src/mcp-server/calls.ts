import type { InteractionAnswer } from "#protocol/conversations";
import type { ProgramCallRequest, ProgramCallView } from "#protocol/program-calls";
import type { ToolView } from "#protocol/tools";

/** The calls of a backend that the server makes: over HTTP for `kay mcp`, in the same process for `/mcp`. */
export type KayCalls = {
  tools(options: { query: string }): Promise<{ tools: ToolView[] } | null>;
  startProgramCall(request: ProgramCallRequest): Promise<ProgramCallView>;
  /** Returns a call when it ends or after `waitSeconds`; with `until: "wait"` also when it needs the user. */
  programCall(
    id: string,
    options: { waitSeconds: number; until: "end" | "wait"; signal?: AbortSignal },
  ): Promise<ProgramCallView>;
  answerInteraction(sessionId: string, interactionId: string, answer: InteractionAnswer): Promise<unknown>;
  /** Returns the page where the user answers. */
  createAnswerLink(interactionId: string): Promise<{ url: string }>;
  cancelGeneration(id: string): Promise<unknown>;
};
