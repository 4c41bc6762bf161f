import type { PostgresPool, PostgresPoolClient } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "#test/consent";
import { openWrapped } from "#test/database";
import { deskServices } from "#test/desk";
import { useNodes } from "#test/scripted-backend";
import { ask } from "#test/turn";

const { database, model, start } = useNodes({ services: deskServices([]), clock: Date, leaveMs: 30_000 });

/** A pool that stores counts of tokens later than what is sent at the same time. */
function delayCounts(pool: PostgresPool): PostgresPool {
  const delay = (client: PostgresPoolClient) =>
    ({
      query: async (text: string, values: unknown[]) => {
        if (JSON.stringify(values ?? []).includes("inputTokens"))
          await new Promise((resolve) => setTimeout(resolve, 100));
        return client.query(text, values);
      },
      release: () => client.release(),
    }) as unknown as PostgresPoolClient;
  return { options: pool.options, end: () => pool.end(), connect: async () => delay(await pool.connect()) };
}

test("the tokens of an answer and of its conversation are complete, however late they are stored", async () => {
  const { db, close } = await openWrapped(database(), delayCounts);
  onTestFinished(close);
  const world = start({ db });
  const { token } = await connect(world);
  model.script({ text: "Hello.", usage: [1_200, 34] });
  const first = await ask(world, token, "hello");
  expect((await first.next("data-usage")).data).toEqual({
    model: "openai-compatible:scripted",
    ...{ input_tokens: 1_200, output_tokens: 34, context_tokens: 1_234 },
    conversation: { input_tokens: 1_200, output_tokens: 34 },
  });
  await first.end();
  model.script({ calls: [["c1", "jira.nothing", {}]], usage: [1_000, 100] }, { text: "None.", usage: [2_000, 50] });
  const second = await ask(world, token, "and now", { session_id: first.session });
  expect((await second.next("data-usage")).data).toEqual({
    model: "openai-compatible:scripted",
    ...{ input_tokens: 3_000, output_tokens: 150, context_tokens: 2_050 },
    conversation: { input_tokens: 4_200, output_tokens: 184 },
  });
  await second.end();
});
