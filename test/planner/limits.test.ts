import { expect, test } from "vitest";
import { configureServices } from "#connectors/catalogue";
import { modelTools, plannerTalk } from "#test/planner";

const tools = modelTools(configureServices({ clients: {} }).map(({ service }) => service));
const words = (count: number) =>
  `show issues ${Array.from({ length: count - 2 }, (_, at) => `word${at % 7}`).join(" ")}`;

test.each([61, 300, 5_000])("a request of %i words is refused in a sentence, and nothing is called", async (count) => {
  const { calls, text } = await plannerTalk(tools).say(words(count));
  expect(calls ?? []).toEqual([]);
  expect(text).toContain("too long for the offline planner, which reads up to 60 words. Nothing was done.");
});

test("a long text in quotes or after a colon counts as one word", async () => {
  const body = Array.from({ length: 400 }, (_, at) => `word${at}`).join(" ");
  const { calls } = await plannerTalk(tools).say(`comment on KAY-1: ${body}`);
  expect(JSON.stringify(calls)).toContain("word399");
});
