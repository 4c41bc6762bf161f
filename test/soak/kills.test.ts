import { expect, test } from "vitest";
import { createCloseStep, createRequester, expectOneEffect, FIRST, LAST } from "#test/durable/killing";
import { usePlace } from "#test/durable/place";
import { random } from "#test/nodes/run";

/** Number of runs of each loop, and the seeds of their random numbers. */
const ROUNDS = Number(process.env.KAY_SOAK ?? 1);
const SEED = Number(process.env.KAY_SOAK_SEED ?? Date.now() % 1_000_000);

const place = usePlace((ask) =>
  capricious && ask.time > 1 ? other(ask.time, createCloseStep(ask)) : createCloseStep(ask),
);
const { request, moments } = createRequester(place);
let capricious = false;

test("killed at every possible moment, once each", { timeout: 3_600_000 }, async () => {
  const all = await moments();
  process.stdout.write(`${all.length} moments\n`);
  for (let moment = 1; moment <= all.length; moment++) {
    const killed = await request([{ moment }], [...FIRST, ...LAST].join(""));
    expect({ moment, name: all[moment - 1], faults: killed.faults }).toEqual({
      moment,
      name: all[moment - 1],
      faults: [],
    });
    expectOneEffect(killed);
  }
});

test(`killed up to four times at any moments (seed ${SEED})`, { timeout: 3_600_000 }, async () => {
  const dice = random(SEED);
  const { length } = await moments();
  for (let round = 0; round < ROUNDS * 40; round++) {
    const kills = Array.from({ length: 1 + dice(4) }, () => ({ moment: 1 + dice(length) }));
    const killed = await request(kills, [...FIRST, ...LAST].join(""));
    expect({ kills, faults: killed.faults }).toEqual({ kills, faults: [] });
    expectOneEffect(killed);
  }
});

test(`the same with a model that answers differently each time (seed ${SEED})`, { timeout: 3_600_000 }, async () => {
  const dice = random(SEED + 1);
  const { length } = await moments();
  capricious = true;
  for (let round = 0; round < ROUNDS * 20; round++) {
    const kills = Array.from({ length: 1 + dice(3) }, () => ({ moment: 1 + dice(length) }));
    const killed = await request(kills);
    expect({ kills, faults: killed.faults }).toEqual({ kills, faults: [] });
    expectOneEffect(killed);
  }
});

/** Another beginning, or another end, and calls with separate IDs. */
function other(time: number, step: ReturnType<typeof createCloseStep>): ReturnType<typeof createCloseStep> {
  const text = time % 2 === 0 ? ["Well, ", ...step.text] : [...step.text.slice(0, 2), "hm."];
  return {
    text,
    ...(step.calls ? { calls: step.calls.map(([id, ...rest]) => [`${id}_${time}`, ...rest] as never) } : {}),
  };
}
