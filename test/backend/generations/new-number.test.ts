import { sql } from "kysely";
import { expect, test } from "vitest";
import { LIVE_NODES_SQL } from "#backend/store/node";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useNodes } from "#test/scripted-backend";
import { ask } from "#test/turn";

const { database, model, start } = useNodes({ services: deskServices([]), clock: Date, leaveMs: 30_000 });

test("a node that reconnects under a new number while it works still sends the write that was allowed", async () => {
  const world = start();
  const { token } = await connect(world);
  const gate = Promise.withResolvers<void>();
  const close = async () => {
    await gate.promise;
    return { calls: [["c1", "jira.close_issue", { issue: "KAY-3" }] as [string, string, object]] };
  };
  model.script(close, { text: "Closed." });
  const turn = await ask(world, token, "close KAY-3", { allow: ["jira.close_issue"] });
  await turn.next("start-step");
  const number = await world.ports.node.number();
  const { db } = database();
  await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = ${number}
    and objid::int in (${sql.raw(LIVE_NODES_SQL)})`.execute(db);
  await expect.poll(() => world.ports.node.number().catch(() => number)).not.toBe(number);
  world.outside.expect("POST https://api.atlassian.com/close/KAY-3", json({}));
  gate.resolve();
  await turn.end();
  expect(turn.text()).toBe("Closed.");
  const effects = await db.selectFrom("effects").select(["state", "node"]).execute();
  expect(effects).toEqual([{ state: "settled", node: number }]);
});
