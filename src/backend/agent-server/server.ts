import { Cancellation } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";
import { forgetTurns, listTurnsToRun, listTurnsToStop } from "../store/agent-turns.ts";
import { getFaultLevel } from "../store/database.ts";
import { runTurn, type TurnControl } from "./run-turn.ts";
import { beginTurn, checkAgentSession, openAgentSession } from "./sessions.ts";
import { createTurnStream, NO_STREAM, type TurnStream } from "./turn-stream.ts";
import { createWebhookSender } from "./webhook-sender.ts";

/** How long running turns may continue when this node shuts down, in ms. After that, another node takes over. */
const CLOSE_LIMIT = 8_000;

/** How long releasing them may take, in ms. */
const HAND_OVER_LIMIT = 2_000;

/** Every this many ticks, old turns are deleted. */
const FORGET_EVERY = 60;

/** kay as an agent server (docs/protocol.md, "Agent servers"): runs turns on this node and reports them. */
export type AgentServer = {
  /** See `openAgentSession`. */
  open(session: { sessionId: string; webhookUrl: string }): Promise<string>;
  /** See `checkAgentSession`. */
  check(sessionId: string): Promise<void>;
  /** Starts a turn, which runs whether its stream is read or not. See `beginTurn`. */
  stream(turn: { sessionId: string; token: string; prompt: string }): Promise<TurnStream>;
  /** See `Backend.tick`. */
  tick(): Promise<void>;
  busy(): number;
  close(): Promise<void>;
};

export function createAgentServer(ports: BackendPorts): AgentServer {
  const webhooks = createWebhookSender(ports);
  const active = new Map<string, { control: TurnControl; ended: Promise<void> }>();
  let isClosing = false;
  let ticks = 0;

  function run(id: string, feed: TurnStream): void {
    if (isClosing) feed.cut();
    if (isClosing || active.has(id)) return;
    const control: TurnControl = { stop: new AbortController(), isCanceled: false };
    const onReports = () => webhooks.send(id);
    const ended = runTurn({ ports, id, control, feed, onReports })
      .catch((error: unknown) => ports.log(getFaultLevel(error), "turn_fault", { generation: id, error }))
      .finally(() => active.delete(id));
    active.set(id, { control, ended });
  }

  async function stopCanceledTurns(ids: string[]): Promise<void> {
    for (const id of await listTurnsToStop(ports.db, ids, ports.clock.now())) {
      const turn = active.get(id);
      if (!turn) continue;
      turn.control.isCanceled = true;
      turn.control.stop.abort(new Cancellation("The turn was canceled."));
    }
  }

  const stopListening = ports.node.on("generation", (id) => {
    if (active.has(id)) void stopCanceledTurns([id]).catch(() => {});
  });
  return {
    open: (session) => openAgentSession(ports, session),
    check: (sessionId) => checkAgentSession(ports, sessionId),
    async stream(turn) {
      const { generationId } = await beginTurn(ports, turn);
      const feed = createTurnStream();
      run(generationId, feed);
      return feed;
    },
    async tick() {
      await stopCanceledTurns([...active.keys()]);
      for (const id of await listTurnsToRun(ports.db, await ports.node.number())) run(id, NO_STREAM);
      await webhooks.tick();
      if (ticks++ % FORGET_EVERY === 0) await forgetTurns(ports.db);
    },
    busy: () => active.size + webhooks.busy(),
    async close() {
      isClosing = true;
      stopListening();
      const waitForTurns = (ms: number) =>
        Promise.race([
          Promise.allSettled([...active.values()].map((turn) => turn.ended)),
          new Promise((resolve) => setTimeout(resolve, ms).unref()),
        ]);
      await waitForTurns(CLOSE_LIMIT);
      for (const { control } of active.values()) control.stop.abort();
      await waitForTurns(HAND_OVER_LIMIT);
      await webhooks.close();
    },
  };
}
