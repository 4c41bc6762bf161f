import { expect, test } from "vitest";
import { createRestWatch } from "#host/rest-watch";

const MB = 1024 * 1024;

/** A process whose heap has 50 MB in use and 60 MB reserved. `releases` counts how often its memory was released. */
function createWatch() {
  const heap = { heapUsed: 50 * MB, heapTotal: 60 * MB };
  let releases = 0;
  const look = createRestWatch(
    () => ({ ...heap }),
    () => {
      releases++;
      Object.assign(heap, { heapUsed: 51 * MB, heapTotal: 61 * MB });
    },
  );
  const work = (usedMb: number, reserved: number) => {
    heap.heapUsed += usedMb * MB;
    heap.heapTotal += reserved * MB;
    look();
  };
  return { work, look, heap, releases: () => releases };
}

test("memory is released once, two seconds after work ended", () => {
  const { work, look, heap, releases } = createWatch();
  work(30, 40);
  work(20, 20);
  look();
  expect(releases()).toBe(0);
  look();
  expect([releases(), heap.heapTotal]).toEqual([1, 61 * MB]);
  for (let seconds = 0; seconds < 60; seconds++) look();
  expect(releases()).toBe(1);
});

test("nothing is released while work continues", () => {
  const { work, releases } = createWatch();
  for (const usedMb of [30, -28, 40, 2, -39, 1.5]) work(usedMb, 10);
  expect(releases()).toBe(0);
});

test("a few megabytes are not worth a collection", () => {
  const { work, look, releases } = createWatch();
  work(5, 7);
  for (let seconds = 0; seconds < 10; seconds++) look();
  expect(releases()).toBe(0);
  work(1, 1);
  look();
  look();
  expect(releases()).toBe(1);
});

test("a release collects the garbage of this process", async () => {
  const lost = new WeakRef({ text: "lost" });
  const heap = { heapUsed: 0, heapTotal: 0 };
  const look = createRestWatch(() => ({ ...heap }));
  heap.heapTotal = 16 * MB;
  await new Promise(setImmediate);
  look();
  look();
  expect(lost.deref()).toBe(undefined);
});
