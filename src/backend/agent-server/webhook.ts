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

/** Longest that a webhook of another backend is believed to take reports, in ms. */
const MOST_LIFE_MS = 60 * 60_000;

/** Longest URL of a webhook, in characters. */
const MOST_CHARACTERS = 8_192;

/**
 * The URL of a webhook: `https:`, or `http:` on this machine, or any where that is allowed. No sentence says more of it than its origin, since it
 * carries a token.
 *
 * @throws Problem INVALID_REQUEST
 */
export function parseWebhook(text: string, allowInsecure: boolean): URL {
  const url = text.length <= MOST_CHARACTERS ? URL.parse(text) : null;
  const refused = (sentence: string) =>
    new Problem("INVALID_REQUEST", sentence, { hint: "", details: { field: "webhookUrl" } });
  if (!url || !["http:", "https:"].includes(url.protocol)) throw refused("webhookUrl is no URL of http or https.");
  if (url.username || url.password) throw refused("webhookUrl must not contain a user name or a password.");
  if (url.protocol === "http:" && !allowInsecure && !isLoopbackHost(url.hostname))
    throw refused(`webhookUrl would be told unencrypted over the network: ${url.origin}.`);
  return url;
}

/** When a webhook takes no more reports, in ms: with the end of its token, or else ten minutes from now. */
export function getWebhookExpiry(webhook: URL, now: number): number {
  const end = getTokenExpiry(webhook.searchParams.get("token") ?? "") ?? now + WEBHOOK_LIFETIME_MS;
  return Math.min(end, now + MOST_LIFE_MS);
}

/** The turn that a webhook is for, where it is one of a backend on this database; nothing of it is believed that is not signed. */
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
