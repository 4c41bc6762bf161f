import type { GenerationRequest } from "#backend/store/generation-state";

/** A request that a user typed, as `POST /ask` stores it. */
export function buildRequest(parts: Partial<GenerationRequest> = {}): GenerationRequest {
  return {
    prompt: "close KAY-3",
    context: {},
    mode: "answer",
    interactive: false,
    confirm: false,
    source: "typed",
    limits: {},
    runsAt: "backend",
    ...parts,
  };
}
