import { MAX_WAIT_MS, parseRetryAfter } from "#net/retry-after";
import type { BackendPorts } from "../ports.ts";
import {
  claimDelivery,
  dropOutbox,
  endDelivery,
  findNextReport,
  listTurnsToDeliver,
  markDelivered,
  postponeDelivery,
  type WaitingReport,
} from "../store/agent-outbox.ts";
import { unsealWebhook } from "./sessions.ts";

/** Time limit for a webhook's response, in ms. */
const ANSWER_LIMIT = 10_000;

/** Pause before the first retry in ms, doubled with each retry up to the maximum. */
const FIRST_PAUSE = 500;
const MOST_PAUSE = 30_000;

/** Statuses that end delivery: the turn's token has expired, or the turn has ended or is unknown. */
const OVER = [401, 403, 404, 409, 410];

/** Delivers the outbox: the reports of each turn in order, by one node at a time. */
export type WebhookSender = {
  /** Delivers the waiting reports of a turn. */
  send(generationId: string): void;
  /** Delivers reports whose node is gone and reports that are due for a retry. */
  tick(): Promise<void>;
  busy(): number;
  /** Resolves when the current reports are delivered. */
  close(): Promise<void>;
};

export function createWebhookSender(ports: BackendPorts): WebhookSender {
  const active = new Map<string, { again: boolean; ended: Promise<void> }>();
  let isClosing = false;

  function send(id: string): void {
    const current = active.get(id);
    if (current) current.again = true;
    if (current || isClosing) return;
    const delivery = { again: false, ended: Promise.resolve() };
    active.set(id, delivery);
    delivery.ended = deliver(ports, id, () => isClosing)
      .catch((error: unknown) => ports.log("warn", "webhook.failed", { generation: id, error }))
      .then(() => {
        active.delete(id);
        if (delivery.again) send(id);
      });
  }
  return {
    send,
    async tick() {
      for (const id of await listTurnsToDeliver(ports.db, await ports.node.number(), ports.clock.now()))
        if (!active.has(id)) send(id);
    },
    busy: () => active.size,
    async close() {
      isClosing = true;
      await Promise.allSettled([...active.values()].map(({ ended }) => ended));
    },
  };
}

async function deliver(ports: BackendPorts, id: string, isClosing: () => boolean): Promise<void> {
  const { db, clock, log } = ports;
  const claim = await claimDelivery(db, id, await ports.node.number(), clock.now());
  if (!claim) return;
  const { conversationId: sessionId, expiresAt } = claim;
  const url = unsealWebhook(ports, sessionId, claim.sealedWebhook);
  let { tries } = claim;
  for (;;) {
    const now = clock.now();
    if (isClosing()) return await postponeDelivery(db, id, { tries, at: now });
    const nextReport = await findNextReport(db, id);
    if (!nextReport) {
      if (await endDelivery(db, id)) return;
      continue;
    }
    const answer = expiresAt.getTime() <= now ? "expired" : await post(ports, url, sessionId, nextReport);
    const { verdict, wait = 0 } = judge(answer);
    if (verdict === "later") {
      tries++;
      const pause = Math.max(wait, Math.min(FIRST_PAUSE * 2 ** (tries - 1), MOST_PAUSE));
      log("info", "webhook.later", { generation: id, status: getStatus(answer), tries });
      return await postponeDelivery(db, id, { tries, at: Math.min(now + pause, expiresAt.getTime()) });
    }
    if (verdict === "over") {
      const reports = await dropOutbox(db, id, now);
      log("warn", "webhook.undelivered", { generation: id, status: getStatus(answer), reports });
      continue;
    }
    if (verdict === "refused") log("warn", "webhook.refused", { generation: id, status: getStatus(answer) });
    tries = 0;
    await markDelivered(db, id, nextReport.number, now);
  }
}

type Answer = { status: number; retryAfter?: number } | "expired" | { unreachable: string };

/** Posts one report. Redirects are not followed and the URL never appears in an error, because it carries a token. */
async function post(
  { fetch, clock }: Pick<BackendPorts, "fetch" | "clock">,
  url: string,
  sessionId: string,
  { report, at }: WaitingReport,
): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ sessionId, ...report, timestamp: at.getTime() }),
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_LIMIT),
    });
    await response.body?.cancel().catch(() => {});
    const retryAfter = parseRetryAfter(Object.fromEntries(response.headers), clock.now());
    return { status: response.status, ...(retryAfter ? { retryAfter: Math.min(retryAfter, MAX_WAIT_MS) } : {}) };
  } catch (error) {
    const { code, name } = ((error as Error).cause ?? error) as { code?: string; name?: string };
    return { unreachable: code ?? name ?? "unknown" };
  }
}

function judge(answer: Answer): { verdict: "taken" | "refused" | "over" | "later"; wait?: number } {
  if (answer === "expired") return { verdict: "over" };
  if ("unreachable" in answer) return { verdict: "later" };
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) return { verdict: "taken" };
  if (OVER.includes(status)) return { verdict: "over" };
  const isTemporary = status < 400 || status >= 500 || [408, 425, 429].includes(status);
  return isTemporary ? { verdict: "later", ...(retryAfter ? { wait: retryAfter } : {}) } : { verdict: "refused" };
}

function getStatus(answer: Answer): number | string {
  if (answer === "expired") return answer;
  return "status" in answer ? answer.status : answer.unreachable;
}
