import type { EffectLog, RecordedEffect } from "#agent/effect";
import type { BackendPorts } from "../ports.ts";
import { planEffect, refuseEffect, setEffectState, settleEffect } from "../store/effects.ts";
import type { ToolOwner } from "../tools/toolbox.ts";

/** Effects in the store, in the name of the node that this process was when it planned them. */
export function createEffectLog({ db, node, clock, observe }: BackendPorts, owner: ToolOwner): EffectLog {
  const note = (state: string) => observe?.count("kay_effects_total", { state });
  const nodes = new Map<string, number>();
  const own = (id: string) => ({ id, node: nodes.get(id) ?? null });
  return {
    scope: owner.generationId,
    plan: async (effect) => {
      const number = await node.number();
      nodes.set(effect.id, number);
      const before = await planEffect(db, { ...owner, ...effect, node: number }, clock.now());
      if (before.state === "new" || before.state === "unknown") note(before.state === "new" ? "planned" : "unknown");
      return before as RecordedEffect;
    },
    set: async (id, state) => {
      const isSet = await setEffectState(db, own(id), state, clock.now());
      if (isSet) note(state);
      return isSet;
    },
    settle: async (id, result) => {
      await settleEffect(db, own(id), result, clock.now());
      note("settled");
    },
    refuse: async (id, result) => {
      await refuseEffect(db, own(id), result, clock.now());
      note("refused");
    },
  };
}
