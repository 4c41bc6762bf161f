import { hash } from "node:crypto";
import { AgentReport, AnyReport, type StreamOutcome } from "#protocol/agent";
import { Problem } from "#protocol/errors";
import { toCanonicalJson } from "#protocol/json";
import { parseShape } from "#protocol/parse";
import { readClaimedTurn, verifyWebhookToken } from "../agent-client/webhook-token.ts";
import type { BackendPorts } from "../ports.ts";
import { addReport, findAgentSecret } from "../store/agent-reports.ts";
import { notifyGeneration } from "../store/generation-wakes.ts";
import { findGeneration } from "../store/generations.ts";

/**
 * Handles a report that an agent server sends to the webhook. A repeated report has no effect. A new one after the end
 * of the turn, or for another conversation, is refused.
 *
 * @returns whether it was new
 * @throws Problem INVALID_REQUEST, NOT_FOUND, TOKEN_EXPIRED, TOKEN_INVALID, GENERATION_CLOSED
 */
export async function acceptReport(ports: BackendPorts, token: string, body: unknown): Promise<boolean> {
  const { conversationId, generationId } = readClaimedTurn(token);
  const secret = await findAgentSecret(ports, conversationId);
  if (secret === undefined) throw new Problem("NOT_FOUND", "Session not found or not configured");
  const now = ports.clock.now();
  await verifyWebhookToken(token, secret, now);
  const { sessionId, type } = parseShape(AnyReport, body, "the report");
  if (sessionId !== conversationId)
    throw new Problem("INVALID_REQUEST", "Session ID mismatch", { details: { field: "sessionId" } });
  if (!KNOWN.includes(type)) return false;
  const { timestamp: _, ...report } = parseShape(AgentReport, body, "the report") as AgentReport & {
    timestamp?: unknown;
  };
  const row = await findGeneration(ports.db, generationId);
  if (row?.conversation_id !== conversationId) throw new Problem("NOT_FOUND", "Session not found or not configured");
  const key = hashReport(report);
  const isNew = await addReport(ports.db, { generationId, key, report, now });
  if (isNew) notifyGeneration(ports.db, generationId);
  return isNew;
}

/**
 * Records the end of a stream that a client reads from the agent server directly, among the reports of the turn.
 *
 * @throws Problem GENERATION_CLOSED
 */
export async function recordStreamOutcome(
  { db, clock }: Pick<BackendPorts, "db" | "clock">,
  generationId: string,
  { outcome, message }: StreamOutcome,
): Promise<void> {
  const report: StreamRecord = { type: "stream", outcome, ...(message ? { message: message.slice(0, 1_000) } : {}) };
  const isNew = await addReport(db, { generationId, key: `stream:${outcome}`, report, now: clock.now() });
  if (isNew) notifyGeneration(db, generationId);
}

/** The outcome of a direct stream as it is stored among the reports. */
export type StreamRecord = { type: "stream"; outcome: StreamOutcome["outcome"]; message?: string };

const KNOWN = ["text", "tool-call", "tool-result", "finish", "error"];

/** Hashes a report, so that a repeated one is recognized at any time. */
export function hashReport(report: object): string {
  return hash("sha256", toCanonicalJson(report), "base64url");
}
