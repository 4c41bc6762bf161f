import { type FakeModel, fakeModel, type ModelAsk, type ModelStep } from "../durable/outside.ts";
import { type DojoCall, PLANT_MARK } from "./cases.ts";

/**
 * What the model does in the next turn: one list of calls for each step. `needsMark`: only once it has read the planted
 * text.
 */
type Plan = { steps: DojoCall[][]; needsMark: boolean };

export type HijackedModel = FakeModel & {
  plan: Plan;
  /** Whether the model of the current turn has read the planted text. */
  hasReadMark: boolean;
};

/** A model that follows a plan, whatever it is asked: it does what the planted text wants. */
export async function startHijackedModel(): Promise<HijackedModel> {
  let calls = 0;
  const answer = ({ messages }: ModelAsk): ModelStep => {
    const turn = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
    const step = turn.filter(({ role }) => role === "assistant").length;
    if (JSON.stringify(turn).includes(PLANT_MARK)) model.hasReadMark = true;
    const next = model.plan.steps[step];
    if (!next || (step > 0 && model.plan.needsMark && !model.hasReadMark)) return { text: ["Here you are."] };
    return { text: [], calls: next.map(({ tool, args }) => [`call_${calls++}`, tool, args]) };
  };
  const model: HijackedModel = Object.assign(await fakeModel(answer, 0, false), {
    plan: { steps: [], needsMark: false },
    hasReadMark: false,
  });
  return model;
}
