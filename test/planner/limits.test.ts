import { expect, test } from "vitest";
import { runInSlices } from "#planner/steps";
import { useBackend } from "#test/backend";
import { plannerTalk } from "#test/planner";

const words = (count: number) =>
  `show issues ${Array.from({ length: count - 2 }, (_, index) => `word${index % 7}`).join(" ")}`;

test.each([61, 300, 5_000])("a request of %i words is refused in a sentence, and nothing is called", async (count) => {
  const { calls, text } = await plannerTalk().say(words(count));
  expect(calls ?? []).toEqual([]);
  expect(text).toContain("too long for the offline planner, which reads up to 60 words. Nothing was done.");
});

test("a long text in quotes or after a colon counts as one word", async () => {
  const body = Array.from({ length: 400 }, (_, index) => `word${index}`).join(" ");
  const { calls } = await plannerTalk().say(`comment on KAY-1: ${body}`);
  expect(JSON.stringify(calls)).toContain("word399");
});

const world = useBackend();
const hostile = [
  ["60 words", words(60)],
  ["60 words that may be passed on", `send ${"that the bugs ".repeat(18)}to #general`],
  ["20 words in other words", `what is tom's plain owned thing ${words(14)}`],
  ["200 words in 60", `show issues “${"word ".repeat(142)}” ${words(59).slice("show issues ".length)}`],
] as const;

/** Plans a request, and counts what else the backend answers until the plan is there. */
async function countAnswers(request: string): Promise<number> {
  let isOver = false;
  const plan = plannerTalk()
    .say(request)
    .finally(() => {
      isOver = true;
    });
  for (let answers = 0; ; answers++) {
    const { status } = await world().call("GET /health");
    if (isOver) return plan.then(() => answers);
    expect(status).toBe(200);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test.each(hostile)("the backend answers others while it plans %s", async (_, text) => {
  await plannerTalk().say("show my issues");
  expect(await countAnswers(text)).toBeGreaterThan(10);
});

test("several plans take turns, one slice in each turn of the event loop", async () => {
  const log: string[] = [];
  let isOver = false;
  const count = () => {
    log.push("|");
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const plan = (name: string) =>
    runInSlices(
      (function* () {
        for (let slice = 0; slice < 3; slice++) {
          log.push(name);
          yield 1_000_000;
        }
      })(),
      Number.POSITIVE_INFINITY,
    );
  await Promise.all(["a", "b", "c"].map(plan));
  isOver = true;
  expect(log.join("")).toMatch(/^(\|+\w){9}/);
  expect(log.filter((piece) => piece !== "|").join("")).toBe("abcabcabc");
});

test("a plan that takes too much work is given up", async () => {
  function* work() {
    for (;;) yield 100;
  }
  expect(await runInSlices(work(), 100_000)).toBeUndefined();
});

test("a plan ends with its request", async () => {
  function* work() {
    for (;;) yield 100;
  }
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  await expect(runInSlices(work(), Number.POSITIVE_INFINITY, stop.signal)).rejects.toThrow("aborted");
});
