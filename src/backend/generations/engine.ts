import { setTimeout } from "node:timers/promises";
import { Cancellation } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";
import { releaseGeneration } from "../store/generation-claims.ts";
import { listGenerationsToWake, listNews, notifyGeneration } from "../store/generation-wakes.ts";
import { changeGeneration, findGeneration, listOpenGenerations } from "../store/generations.ts";
import { ANY_ID, hasOtherNodes } from "../store/node.ts";
import { type Creations, createCreations } from "./creations.ts";
import { getDelegationScope } from "./delegation.ts";
import { createEventHub, type EventHub } from "./events/hub.ts";
import { createStreamRegistry, type StreamRegistry } from "./events/stream-registry.ts";
import { extendAttended } from "./extend.ts";
import { leaveConversation } from "./leaving.ts";
import { expireOverdue, logRunFault, markLostWork } from "./recovery.ts";
import { isHeld, runGeneration } from "./run.ts";
import { type ActiveRun, createActiveRun, type RunResult } from "./work.ts";

/** Time limit for running work when this node ends, in ms, before another node takes over. */
const CLOSE_LIMIT = 8_000;

/** Time limit for handing it over, in ms. */
const HAND_OVER_LIMIT = 2_000;

/** Time limit for finding another node, in ms. */
const LOOK_LIMIT = 1_000;

/** Every this many ticks, kay also recovers what vanished nodes left unfinished. */
const MARK_EVERY = 10;

/** How often followed logs are checked after the last other node was seen. */
const LOOKS_ALONE = 5;

/** Runs generations on this node. Any other node can take over from the rows, now or later. */
export type Engine = {
  hub: EventHub;
  attendance: StreamRegistry;
  /** Runs a generation here unless it has ended or another node runs it. Resolves when it ends or waits. */
  run(id: string): Promise<RunResult | undefined>;
  /** Wakes a generation because something arrived that it may wait for. Returns at once. */
  wake(id: string): void;
  /** Whether this node begins new work, or leaves it to others. */
  takesWork(): boolean;
  create: Creations["create"];
  /** Claims a generation in a statement of the caller's, to be woken then. */
  claim: Creations["claim"];
  /** Stops a generation, whichever node runs it. `reason` is a sentence. Resolves when the request is stored. */
  stop(id: string, reason: string): Promise<void>;
  /** Called when a follower disconnects. Generations that no client follows stop after a while. */
  leave(conversationId: string, after: number): void;
  /** Takes care of work without a node: see `Backend.tick`. */
  tick(): Promise<void>;
  /** Number of generations that run here, and of their followers. */
  busy(): number;
  counts(): { working: number; followers: number };
  /**
   * Prepares the end of this node. If another node is alive, no new work starts here, and running work moves there
   * after the model's current step. Otherwise everything continues.
   */
  drain(): Promise<void>;
  close(): Promise<void>;
  /** Fires when this node has handed its work over. */
  closed: AbortSignal;
  /** Tracks a caller that waits here for an outcome, which it has before a node hands its work over. */
  trackWaiter<T>(outcome: Promise<T>): Promise<T>;
};

export function createEngine(ports: BackendPorts): Engine {
  const hub = createEventHub(ports);
  const attendance = createStreamRegistry(ports);
  const active = new Map<string, ActiveRun>();
  /** Claims that this node could not release because the database was away. */
  const unreleased = new Map<string, number>();
  const creations = createCreations(ports, unreleased);
  const scope = getDelegationScope(ports);
  const waiters = new Set<Promise<unknown>>();
  let looks = 0;
  let looksAlone = 0;
  let isClosing = false;
  const leaving = new AbortController();
  const handing = new AbortController();
  const closed = new AbortController();

  const wake = (id: string) => void run(id).catch((error: unknown) => logRunFault(ports, id, error));
  const stopListening = ports.node.on("generation", (id) => {
    // The next tick finds what was missed. Other nodes take work that arrives while this node drains.
    if (id !== ANY_ID && !handing.signal.aborted) wake(id);
  });

  /** A node that runs only the backend's share leaves the rest to others. */
  async function runAndNotify(id: string): Promise<RunResult | undefined> {
    const end = await run(id);
    if (end === undefined && scope === "backend") notifyGeneration(ports.db, id);
    return end;
  }

  function noteChange(id: string): void {
    const activeRun = active.get(id);
    if (!activeRun) return;
    activeRun.mustRepeat = true;
    for (const retry of activeRun.listeners) retry();
    void stopIfWanted(id);
  }

  async function stopIfWanted(id: string): Promise<void> {
    const row = await findGeneration(ports.db, id).catch(() => undefined);
    if (row?.cancel != null) halt(id, row.cancel);
  }

  function halt(id: string, reason: string): void {
    const activeRun = active.get(id);
    if (!activeRun) return;
    activeRun.control.reason = reason;
    activeRun.control.stop.abort(new Cancellation(reason));
  }

  function run(id: string): Promise<RunResult | undefined> {
    const current = active.get(id);
    if (current) {
      noteChange(id);
      return current.ended;
    }
    if (handing.signal.aborted) notifyGeneration(ports.db, id);
    if (isClosing || handing.signal.aborted) {
      const generation = creations.take(id);
      if (generation) unreleased.set(id, generation.node);
      return Promise.resolve(undefined);
    }
    const activeRun = createActiveRun({ closing: leaving.signal, handing: handing.signal });
    active.set(id, activeRun);
    activeRun.ended = runSlices(id, activeRun);
    void activeRun.ended
      .then((end) => (end && end.kind !== "waiting" && !end.isLast ? wakeNext(end.row.conversation_id) : undefined))
      .catch(() => {});
    return activeRun.ended;
  }

  async function runSlices(id: string, activeRun: ActiveRun): Promise<RunResult | undefined> {
    try {
      for (;;) {
        activeRun.mustRepeat = false;
        // A fault aborts the work of one slice. Only a stop that has a reason also counts for the next one.
        if (activeRun.control.reason === undefined) activeRun.control.stop = new AbortController();
        const end = await runGeneration(ports, id, activeRun.control, creations.take(id));
        // What arrived just before it began to wait may have been missed, and an answer may just have claimed it.
        if ((end && end.kind !== "waiting") || !activeRun.mustRepeat || isClosing) return end;
      }
    } finally {
      // Removed at once, so that the next event finds no active run and wakes the generation.
      active.delete(id);
      if (activeRun.control.unreleased !== undefined) unreleased.set(id, activeRun.control.unreleased);
    }
  }

  /** Wakes the next generation in a conversation's queue. One that is held for a confirmation does not block it. */
  async function wakeNext(conversationId: string): Promise<void> {
    const [first] = (await listOpenGenerations(ports.db, conversationId)).filter((row) => !isHeld(row));
    if (first?.status === "paused") wake(first.id);
  }

  async function releaseAll(): Promise<void> {
    for (const [id, node] of unreleased) {
      if (!active.has(id)) await releaseGeneration(ports.db, id, node);
      unreleased.delete(id);
    }
  }

  /**
   * Finds what a node that ended between its commit and its notification did not report: news of generations that run
   * here, and parts for followers. A node may commit shortly after its lock is gone.
   */
  async function lookAgain(): Promise<void> {
    for (const { id, wake_at } of await listNews(ports.db, [...active.keys()])) {
      const activeRun = active.get(id);
      const news = wake_at?.getTime() ?? -1;
      if (activeRun && activeRun.news !== news) noteChange(id);
      if (activeRun) activeRun.news = news;
    }
    if (hub.size() === 0) return;
    const isAlone = !(await hasOtherNodes(ports.db, await ports.node.number()));
    looksAlone = isAlone ? looksAlone + 1 : 0;
    if (looksAlone < LOOKS_ALONE) await hub.lookAgain();
  }

  /** Starts to hand work over if another node is alive. If the nodes cannot be counted, assumes none. */
  async function drain(): Promise<void> {
    const hasOthers = ports.node.number().then((number) => hasOtherNodes(ports.db, number));
    if (await Promise.race([hasOthers.catch(() => false), setTimeout(LOOK_LIMIT, false, { ref: false })]))
      handing.abort();
  }

  async function stop(id: string, reason: string): Promise<void> {
    await changeGeneration(ports.db, id, { cancel: reason });
    halt(id, reason);
    notifyGeneration(ports.db, id);
  }

  return {
    hub,
    attendance,
    run: runAndNotify,
    takesWork: () => !isClosing && !handing.signal.aborted,
    create: creations.create,
    claim: creations.claim,
    wake: (id) => void runAndNotify(id).catch((error: unknown) => logRunFault(ports, id, error)),
    stop,
    leave(conversationId, after) {
      if (hub.followers(conversationId) > 0 || isClosing) return;
      void leaveConversation(ports, {
        conversationId,
        after,
        stop,
        isOver: () => hub.followers(conversationId) > 0 || isClosing,
      }).catch(() => {});
    },
    async tick() {
      const now = ports.clock.now();
      if (looks++ % MARK_EVERY === 0) await markLostWork(ports);
      await releaseAll();
      await extendAttended(ports, now);
      for (const id of creations.listUnstarted()) wake(id);
      for (const id of await expireOverdue(ports, now)) wake(id);
      await lookAgain();
      if (handing.signal.aborted) return;
      for (const id of await listGenerationsToWake(ports.db, now, scope)) if (!active.has(id)) wake(id);
    },
    busy: () => active.size + hub.size(),
    counts: () => ({ working: active.size, followers: hub.size() }),
    drain,
    async close() {
      if (!handing.signal.aborted) await drain();
      isClosing = true;
      stopListening();
      leaving.abort();
      const waitForTurns = (ms: number) => {
        const turns = [...active.values()].map(({ ended }) => ended);
        const promises = handing.signal.aborted ? [...turns, ...waiters] : turns;
        return Promise.race([Promise.allSettled(promises), setTimeout(ms, false, { ref: false })]);
      };
      await waitForTurns(CLOSE_LIMIT);
      for (const { control } of active.values()) control.stop.abort();
      await waitForTurns(HAND_OVER_LIMIT);
      closed.abort();
      hub.close();
      await attendance.close();
    },
    closed: closed.signal,
    trackWaiter(outcome) {
      waiters.add(outcome);
      return outcome.finally(() => waiters.delete(outcome));
    },
  };
}
