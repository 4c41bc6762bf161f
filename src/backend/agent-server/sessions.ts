import { randomBytes } from "node:crypto";
import { isLoopbackHost } from "#net/addresses";
import { Problem } from "#protocol/errors";
import {
  getTokenExpiry,
  readClaimedTurn,
  verifyWebhookToken,
  WEBHOOK_LIFETIME_MS,
  type WebhookTurn,
} from "../agent-client/webhook-token.ts";
import { startGenerationIn } from "../generations/requests/start.ts";
import type { BackendPorts } from "../ports.ts";
import { findAgentSecret } from "../store/agent-reports.ts";
import { findOwner, lockAgentSession, matchesToken, putAgentSession, spendToken } from "../store/agent-sessions.ts";
import { findTurn, hasRunningTurn, insertTurn } from "../store/agent-turns.ts";
import { lockConversation } from "../store/conversations.ts";
import { findGeneration } from "../store/generations.ts";
import type { DbConnection } from "../store/schema.ts";
import { seal, unseal } from "../store/seal.ts";

/** Lifetime of a stream token, in ms. Clients use it at once. */
const TOKEN_LIFE_MS = 2 * 60_000;

/**
 * Creates the session of a conversation, or refreshes it (docs/protocol.md, "Agent servers").
 *
 * @returns the token for one stream
 * @throws Problem SESSION_NOT_FOUND, INVALID_REQUEST
 */
export async function openAgentSession(
  ports: BackendPorts,
  { sessionId, webhookUrl }: { sessionId: string; webhookUrl: string },
): Promise<string> {
  const webhook = parseWebhook(webhookUrl, ports.agentRole?.allowInsecure ?? false);
  await checkAgentSession(ports, sessionId);
  const now = ports.clock.now();
  const end = getWebhookExpiry(webhook, now);
  if (end <= now)
    throw new Problem("INVALID_REQUEST", "The token of webhookUrl has expired.", {
      hint: "",
      details: { field: "webhookUrl" },
    });
  const turn = await findTurnFor(ports, sessionId, webhook);
  const token = randomBytes(32).toString("base64url");
  await putAgentSession(ports.db, {
    conversation_id: sessionId,
    token,
    token_expires_at: new Date(Math.min(now + TOKEN_LIFE_MS, end)),
    sealed_webhook: sealWebhook(ports, sessionId, webhook.href),
    webhook_expires_at: new Date(end),
    generation_id: turn?.generationId ?? null,
  });
  return token;
}

/**
 * Checks that a session is a conversation of this database.
 *
 * @throws Problem SESSION_NOT_FOUND
 */
export async function checkAgentSession({ db }: Pick<BackendPorts, "db">, sessionId: string): Promise<void> {
  if ((await findOwner(db, sessionId)) === undefined) throw sessionNotFoundProblem();
}

/**
 * Starts the turn that a token is valid for, spends the token, and claims the turn for this node.
 *
 * @throws Problem SESSION_NOT_FOUND, TOKEN_INVALID, BACKEND_BUSY while another turn of the session runs,
 * GENERATION_CLOSED
 */
export async function beginTurn(
  ports: BackendPorts,
  { sessionId, token, prompt }: { sessionId: string; token: string; prompt: string },
): Promise<WebhookTurn> {
  const node = await ports.node.number();
  const now = ports.clock.now();
  return await ports.db.transaction().execute(async (tx) => {
    const installationId = await findOwner(tx, sessionId);
    const session = await lockAgentSession(tx, sessionId);
    if (installationId === undefined || session === undefined) throw sessionNotFoundProblem();
    if (!matchesToken(session, token, now))
      throw new Problem("TOKEN_INVALID", "The token is not valid for this stream, or it was already used.", {
        hint: "",
      });
    const owner = { installationId, conversationId: sessionId };
    if (await hasRunningTurn(tx, sessionId)) throw busyProblem();
    const end = session.webhook_expires_at.getTime();
    const existingId = session.generation_id;
    const generationId = existingId ?? (await createGeneration(tx, { ...owner, prompt, end, now }));
    if (existingId !== null) await checkOpen(tx, existingId);
    await spendToken(tx, sessionId);
    await insertTurn(tx, {
      generation_id: generationId,
      conversation_id: sessionId,
      installation_id: installationId,
      prompt,
      own: existingId === null,
      node,
      sealed_webhook: session.sealed_webhook,
      expires_at: session.webhook_expires_at,
    });
    return { conversationId: sessionId, generationId };
  });
}

/** Returns the URL of a turn's webhook. */
export function unsealWebhook({ keys }: Pick<BackendPorts, "keys">, conversationId: string, sealed: Buffer): string {
  return unseal(keys.sealing, getSecretName(conversationId), sealed).toString("utf8");
}

function sealWebhook({ keys }: Pick<BackendPorts, "keys">, conversationId: string, url: string): Buffer {
  return seal(keys.sealing, getSecretName(conversationId), url);
}

/**
 * Creates a generation for the turn of a backend with a different database, so that its calls and effects are recorded
 * and the conversation keeps them.
 */
async function createGeneration(
  tx: DbConnection,
  {
    prompt,
    end,
    ...turn
  }: { installationId: string; conversationId: string; prompt: string; end: number; now: number },
): Promise<string> {
  await lockConversation(tx, turn.conversationId);
  const { generationId, queued } = await startGenerationIn(tx, {
    ...turn,
    request: {
      prompt,
      context: {},
      interactive: false,
      confirm: false,
      mode: "stream",
      source: "typed",
      limits: {},
      runsAt: "backend",
    },
    remote: { until: end, direct: true },
  });
  if (queued) throw busyProblem();
  return generationId;
}

async function checkOpen(tx: DbConnection, generationId: string): Promise<void> {
  const row = await findGeneration(tx, generationId);
  const isOver = row === undefined || row.finished_at !== null || row.cancel !== null;
  if (isOver || (await findTurn(tx, generationId)))
    throw new Problem("GENERATION_CLOSED", "This turn has ended.", { hint: "" });
}

function sessionNotFoundProblem(): Problem {
  return new Problem("SESSION_NOT_FOUND", "No session has this ID.", { hint: "" });
}

function busyProblem(): Problem {
  return new Problem("BACKEND_BUSY", "Another stream of this session is still running.");
}

function getSecretName(conversationId: string): string {
  return `agent-webhooks/${conversationId}`;
}

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
function parseWebhook(text: string, allowInsecure: boolean): URL {
  const url = text.length <= MOST_CHARACTERS ? URL.parse(text) : null;
  const webhookProblem = (sentence: string) =>
    new Problem("INVALID_REQUEST", sentence, { hint: "", details: { field: "webhookUrl" } });
  if (!url || !["http:", "https:"].includes(url.protocol))
    throw webhookProblem("webhookUrl is not a valid http or https URL.");
  if (url.username || url.password) throw webhookProblem("webhookUrl must not contain a user name or a password.");
  if (url.protocol === "http:" && !allowInsecure && !isLoopbackHost(url.hostname))
    throw webhookProblem(`webhookUrl would send reports over the network unencrypted: ${url.origin}.`);
  return url;
}

/** Returns when a webhook stops accepting reports, in ms: when its token expires, or in ten minutes. */
function getWebhookExpiry(webhook: URL, now: number): number {
  const end = getTokenExpiry(webhook.searchParams.get("token") ?? "") ?? now + WEBHOOK_LIFETIME_MS;
  return Math.min(end, now + MOST_LIFE_MS);
}

/** Finds the turn that a webhook belongs to, if its backend uses this database. Only signed claims count. */
async function findTurnFor(
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
