import type { InteractionAnswer, PendingRequest } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import type { InteractionRequest } from "#protocol/interactions";
import type { Engine } from "../../generations/engine.ts";
import { getPendingRequest } from "../../generations/pending.ts";
import { answerInteraction } from "../../generations/requests/answer.ts";
import type { BackendPorts } from "../../ports.ts";
import { parseEdit, parseScope } from "./approval-card.ts";
import { parseForm } from "./form-card.ts";

/** Name that other clients see for an answer from the page. */
const CLIENT = "the answer page";

/**
 * Answers a request with the form that its page submitted.
 *
 * @returns why the answer was refused; the request is then still open
 * @throws Problem INTERACTION_CLOSED, INTERACTION_NOT_FOUND
 */
export async function submitAnswer(
  ports: BackendPorts,
  engine: Engine,
  { installationId, pending }: { installationId: string; pending: PendingRequest },
  form: URLSearchParams,
): Promise<string | undefined> {
  const { request, session_id: conversationId, id: interactionId } = pending;
  const answer = request && parseAnswer(request, form);
  if (!answer) return "Choose one of the buttons.";
  if (typeof answer === "string") return answer;
  const client = CLIENT;
  try {
    await answerInteraction(ports, engine, { installationId, conversationId, interactionId }, { ...answer, client });
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "INVALID_REQUEST") throw error;
    return error.message;
  }
}

/**
 * Answers the approvals that a page showed together, in their order. Skips those that were answered elsewhere meanwhile.
 *
 * @returns why an answer was refused; that request and those after it are then still open
 */
export async function submitPlan(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  form: URLSearchParams,
): Promise<string | undefined> {
  for (const id of (form.get("ids") ?? "").split(",")) {
    try {
      const pending = await getPendingRequest(ports, installationId, id);
      const refusal = await submitAnswer(ports, engine, { installationId, pending }, form);
      if (refusal !== undefined) return refusal;
    } catch (error) {
      if (!(error instanceof Problem) || !CLOSED.has(error.code)) throw error;
    }
  }
  return undefined;
}

const CLOSED = new Set(["INTERACTION_CLOSED", "INTERACTION_NOT_FOUND"]);

function parseAnswer(request: InteractionRequest, form: URLSearchParams): InteractionAnswer | string | undefined {
  const decision = form.get("decision");
  if (decision === "deny") {
    const reason = form.get("reason")?.trim();
    return { action: "deny", ...(reason ? { reason } : {}) };
  }
  if (request.interaction_type === "approval") {
    const scope = parseScope(decision);
    if (!scope) return undefined;
    const edit = parseEdit(request, form);
    if ("error" in edit) return edit.error;
    return { action: "approve", approval_scope: scope, ...(edit.edited ? { edited_args: edit.edited } : {}) };
  }
  if (decision === "cancel") return { action: "cancel" };
  if (decision !== "submit") return undefined;
  const result = request.link === undefined ? parseForm(request, form) : { input: {} };
  return "error" in result ? result.error : { action: "submit", input: result.input };
}
