import { sql } from "kysely";
import { afterEach, expect, test } from "vitest";
import { useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { useScriptedModel } from "#test/scripted-model";
import { ask } from "#test/turn";

const model = useScriptedModel((url, init) => world().outside.fetch(url, init));
const world = useBackend(model.ports);
afterEach(async () => void (await repairWrites()));

const output_schema = { type: "object", properties: { key: { type: "string" } }, required: ["key"] };
const VALUE = { key: "KAY-3" };
const GOOD = JSON.stringify(VALUE);
const BAD = '{"key": 3}';
const INVALID = {
  code: "OUTPUT_INVALID",
  message: "The answer does not match the output schema: /key must be string.",
};

/** From now on, rows with such a part, or any message, cannot be stored. */
async function breakWrites(table: "events" | "messages", when: string): Promise<void> {
  const { db } = world().ports;
  const raise = "begin raise exception ''broken''; end";
  await sql.raw(`create function broken() returns trigger language plpgsql as '${raise}'`).execute(db);
  await sql
    .raw(`create trigger broken before insert on ${table} for each row when (${when}) execute function broken()`)
    .execute(db);
}
const repairWrites = () => sql`drop function if exists broken cascade`.execute(world().ports.db);

/** Checks again until it has ended. */
async function repairAndFinish(isOver: () => Promise<boolean>): Promise<void> {
  const listFailed = () => {
    const open = world().ports.db.selectFrom("generations").select("id").where("finished_at", "is", null);
    return open.where("failures", ">", 0).execute();
  };
  await expect.poll(async () => (await listFailed()).length).toBe(1);
  await repairWrites();
  const tickAndCheck = async () => {
    world().clock.advance(10_000);
    await world().backend.tick();
    return await isOver();
  };
  await expect.poll(tickAndCheck).toBe(true);
}
const isOver = async (headers: Record<string, string>, token: string) => {
  const { body } = await world().call(`GET /requests/${headers["idempotency-key"]}`, { token });
  return body.state === "done";
};

test("a stored answer whose end was lost is the answer, and the model is not called again", async () => {
  const { token } = await connect(world());
  const headers = { "idempotency-key": "lost-end" };
  await breakWrites("events", "new.part ->> 'type' = 'data-output'");
  model.script({ text: GOOD });
  const turn = await ask(world(), token, "how is KAY-3", { output_schema, headers });
  await repairAndFinish(() => isOver(headers, token));
  await turn.close();
  expect((await world().call("GET /requests/lost-end", { token })).body).toMatchObject({
    answer: { status: "completed", data: { output: VALUE } },
  });
});

test("the request for a corrected answer survives the loss of that answer", async () => {
  const { token } = await connect(world());
  const headers = { "idempotency-key": "lost-step" };
  await breakWrites("messages", "new.message ->> 'role' = 'assistant'");
  model.script({ text: BAD }, { text: GOOD }, { text: BAD }, { text: GOOD });
  const turn = await ask(world(), token, "how is KAY-3", { output_schema, headers });
  await repairAndFinish(() => isOver(headers, token));
  await turn.close();
  expect((await world().call("GET /requests/lost-step", { token })).body).toMatchObject({ answer: INVALID });
  expect(model.left()).toBe(1);
});
