import { expect, test } from "vitest";
import { twoNodes } from "#test/nodes/run";
import { killNode, pauseNode, quiet, restartNodes } from "#test/nodes/unrest";

/** `npm run nodes` does the same for any time, and measures. */
test("two nodes behind a balancer: killed, restarted and paused, no effect is lost or doubled, and nobody notices a restart", {
  timeout: 240_000,
}, async () => {
  const settings = { fsync: "off", synchronous_commit: "off" };
  const { faults, figures } = await twoNodes({ people: 4, talkers: 1, seed: 4, settings }, async (scene) => {
    await quiet(scene, 1_500);
    await killNode(scene, 0);
    await restartNodes(scene);
    await pauseNode(scene, 4_000, true);
  });
  expect(faults).toEqual([]);
  expect(figures.filter(({ what, ok }) => ok === false && !what.startsWith("delay"))).toEqual([]);
});
