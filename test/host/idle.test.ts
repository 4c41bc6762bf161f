import { expect, test } from "vitest";
import { watchIdle } from "#host/embedded";

/** An idle clock on time that only the test moves; `log` has one entry for each time it found the backend idle. */
function createWatch(limitMs: number) {
  let now = 0;
  let tick: (() => void) | undefined;
  const world = { busy: false, needed: false, log: [] as number[], every: 0 };
  const ports = {
    now: () => now,
    busy: () => world.busy,
    isNeeded: async () => world.needed,
    every(ms: number, onTick: () => void) {
      world.every = ms;
      tick = onTick;
      return () => {
        tick = undefined;
      };
    },
  };
  const idle = watchIdle(limitMs, ports, () => world.log.push(now));
  const pass = async (ms: number) => {
    for (const end = now + ms; now < end; ) {
      now += Math.min(world.every, end - now);
      tick?.();
      await new Promise(setImmediate);
    }
  };
  const setBack = (ms: number) => {
    now -= ms;
  };
  return { world, idle, pass, setBack, ticks: () => tick !== undefined };
}

test("an unused backend is idle after the limit, once", async () => {
  const { world, pass, ticks } = createWatch(1_800_000);
  await pass(1_770_000);
  expect(world.log).toEqual([]);
  await pass(3_600_000);
  expect(world.log).toEqual([1_800_000]);
  expect(ticks()).toBe(false);
});

test("a clock that was set back by a day postpones it by the limit at most", async () => {
  const { world, pass, setBack } = createWatch(60_000);
  await pass(50_000);
  setBack(24 * 60 * 60_000);
  await pass(80_000);
  expect(world.log).toHaveLength(1);
});

test("a request postpones it", async () => {
  const { world, idle, pass } = createWatch(60_000);
  await pass(50_000);
  idle.touch();
  await pass(50_000);
  expect(world.log).toEqual([]);
  await pass(30_000);
  expect(world.log).toHaveLength(1);
});

test("running work postpones it, from its end on", async () => {
  const { world, pass } = createWatch(60_000);
  world.busy = true;
  await pass(600_000);
  world.busy = false;
  await pass(59_000);
  expect(world.log).toEqual([]);
  await pass(30_000);
  expect(world.log).toHaveLength(1);
});

test("N61 a backend stays while a request waits for an answer", async () => {
  const { world, pass } = createWatch(60_000);
  world.needed = true;
  await pass(600_000);
  expect(world.log).toEqual([]);
  world.needed = false;
  await pass(120_000);
  expect(world.log).toHaveLength(1);
});

test("once stopped it never calls back", async () => {
  const { world, idle, pass, ticks } = createWatch(60_000);
  idle.stop();
  await pass(600_000);
  expect([world.log, ticks()]).toEqual([[], false]);
});

test("it checks often enough for a short limit, and rarely for a long one", () => {
  expect(createWatch(1_000).world.every).toBe(250);
  expect(createWatch(100).world.every).toBe(50);
  expect(createWatch(1_800_000).world.every).toBe(30_000);
});
