import { isLoopbackHost } from "#net/addresses";
import { Problem } from "#protocol/errors";
import {
  getTokenExpiry,
  readClaimedTurn,
  verifyWebhookToken,
  WEBHOOK_LIFETIME_MS,
  type WebhookTurn,
} from "../agent-client/webhook-token.ts";
import type { BackendPorts } from "../ports.ts";
import { findAgentSecret } from "../store/agent-reports.ts";
import { findGeneration } from "../store/generations.ts";

/** Maximum lifetime accepted for another backend's webhook, in ms. */
const MOST_LIFE_MS = 60 * 60_000;

/** Maximum length of a webhook URL, in characters. */
const MOST_CHARACTERS = 8_192;

/**
 * Parses a webhook URL: `https:`, `http:` on this machine, or any `http:` if allowed. Messages show only its origin,
 * because the URL carries a token.
 *
 * @throws Problem INVALID_REQUEST
 */
export function parseWebhook(text: string, allowInsecure: boolean): URL {
  const url = text.length <= MOST_CHARACTERS ? URL.parse(text) : null;
  const invalid = (sentence: string) =>
    new Problem("INVALID_REQUEST", sentence, { hint: "", details: { field: "webhookUrl" } });
  if (!url || !["http:", "https:"].includes(url.protocol))
    throw invalid("webhookUrl is not a valid http or https URL.");
  if (url.username || url.password) throw invalid("webhookUrl must not contain a user name or a password.");
  if (url.protocol === "http:" && !allowInsecure && !isLoopbackHost(url.hostname))
    throw invalid(`webhookUrl would send reports over the network unencrypted: ${url.origin}.`);
  return url;
}

/** Returns when a webhook stops accepting reports, in ms: when its token expires, or in ten minutes. */
export function getWebhookExpiry(webhook: URL, now: number): number {
  const end = getTokenExpiry(webhook.searchParams.get("token") ?? "") ?? now + WEBHOOK_LIFETIME_MS;
  return Math.min(end, now + MOST_LIFE_MS);
}

/** Finds the turn that a webhook belongs to, if its backend uses this database. Only signed claims count. */
export async function findTurnFor(
  ports: BackendPorts,
  conversationId: string,
  webhook: URL,
): Promise<WebhookTurn | undefined> {
  try {
    const token = webhook.searchParams.get("token") ?? "";
    const turn = readClaimedTurn(token);
    const secret = await findAgentSecret(ports, conversationId);
    if (turn.conversationId !== conversationId || secret === undefined) return undefined;
    await verifyWebhookToken(token, secret, ports.clock.now());
    const row = await findGeneration(ports.db, turn.generationId);
    return row?.conversation_id === conversationId ? turn : undefined;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
