import { expect, test } from "vitest";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask } from "#test/turn";

const { model, world } = useScriptedBackend({ services: deskServices([]) });

test("an unchanged log is not sent again, and only its owner gets it", async () => {
  const { token } = await connect(world());
  model.script({ text: "Hello." }, { text: "Hello again." });
  const turn = await ask(world(), token, "hello");
  await turn.end();
  const page = `GET /sessions/${turn.session}/events?live=false`;
  const first = await world().call(page, { token });
  const tag = String(first.headers.get("etag"));
  expect([first.status, first.headers.get("cache-control")]).toEqual([200, "public, no-cache"]);
  expect(first.text.endsWith("data: [DONE]\n\n")).toBe(true);
  const headers = { "if-none-match": `"other", W/${tag}` };
  const again = await world().call(page, { token, headers: headers });
  expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", tag]);
  const other = await connect(world());
  expect((await world().call(page, { token: other.token, headers: headers })).status).toBe(404);
  expect((await world().call(page, { headers: headers })).status).toBe(401);
  expect((await world().call(page, { token, headers: { ...headers, "last-event-id": "3" } })).status).toBe(200);
  await (await ask(world(), token, "hello", { session_id: turn.session })).end();
  const grown = await world().call(page, { token, headers: headers });
  expect([grown.status, grown.text.includes("Hello again.")]).toEqual([200, true]);
});
