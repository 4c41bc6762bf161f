import type { EffectLog, RecordedEffect } from "#agent/calls/effect";
import type { BackendPorts } from "../ports.ts";
import { findTask, putTask } from "../store/calls.ts";
import {
  insertEffect,
  type PlannedEffect,
  planEffect,
  refuseEffect,
  resumeEffect,
  setEffectState,
  settleEffect,
} from "../store/effects.ts";
import type { CallFactsReader } from "./call-facts.ts";

/**
 * Whose effects are recorded. `node`: the number under which this node holds the generation, which it keeps when the
 * node reconnects under another one. `facts`: what was read for the calls of a step.
 */
type EffectOwner = { installationId: string; generationId: string; node?: number; facts?: CallFactsReader };

/** Records effects in the store, under the number of the generation or else that of this node. */
export function createEffectLog({ db, node, clock, observe }: BackendPorts, owner: EffectOwner): EffectLog {
  const note = (state: string) => observe?.count("kay_effects_total", { state });
  const getNumber = async () => owner.node ?? (await node.number());
  const nodes = new Map<string, number>();
  /** Those that no row has yet: they are recorded when they are sent. */
  const unrecorded = new Map<string, PlannedEffect>();
  const toOwnEffect = (id: string) => ({ id, node: nodes.get(id) ?? null });
  return {
    scope: owner.generationId,
    plan: async (effect) => {
      const number = await getNumber();
      nodes.set(effect.id, number);
      const { installationId, generationId } = owner;
      const planned = { ...effect, installationId, generationId, node: number };
      if (owner.facts?.isNew(effect.id)) {
        unrecorded.set(effect.id, planned);
        note("planned");
        return { state: "new" };
      }
      const plannedEffect = await planEffect(db, planned, clock.now());
      if (plannedEffect.state === "new" || plannedEffect.state === "unknown")
        note(plannedEffect.state === "new" ? "planned" : "unknown");
      return plannedEffect as RecordedEffect;
    },
    set: async (id, state, account) => {
      const first = unrecorded.get(id);
      unrecorded.delete(id);
      const isSet = first
        ? await insertEffect(db, first, { state, account }, clock.now())
        : await setEffectState(db, toOwnEffect(id), state, clock.now(), account);
      if (isSet) note(state);
      return isSet;
    },
    settle: async (id, result) => {
      await settleEffect(db, toOwnEffect(id), result, clock.now());
      note("settled");
    },
    refuse: async (id, result) => {
      await refuseEffect(db, toOwnEffect(id), result, clock.now());
      note("refused");
    },
    resume: async (id) => {
      const number = await getNumber();
      nodes.set(id, number);
      return await resumeEffect(db, { id, node: number }, clock.now());
    },
    findTask: (id) => findTask(db, id),
    keepTask: (id, handle) => putTask(db, { id, installation_id: owner.installationId, handle }, clock.now()),
  };
}
