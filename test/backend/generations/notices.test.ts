import { beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import type { Notice } from "#backend/ports";
import { defineTool } from "#connectors/tool";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask } from "#test/turn";

const sent: Notice[] = [];
const log: DeskLog = [];
const look = defineTool({
  name: "bitbucket.look",
  description: "Look.",
  access: "read",
  input: z.object({}),
  examples: [],
  summary: () => "Look",
  run: async () => ({ data: {}, text: "Nothing." }),
});
const { model, world } = useScriptedBackend({
  services: deskServices(log, undefined, [look]),
  notify: { isOn: () => true, send: async (notice) => void sent.push(notice) },
});

beforeEach(() => {
  sent.length = 0;
});

test("a request without a follower is announced once, without its content", async () => {
  const { token } = await connect(world());
  model.script({ calls: [["c1", "jira.close_issue", { issue: "KAY-3" }]] });
  const turn = await ask(world(), token, "close KAY-3");
  const { interaction_id } = await turn.asked();
  await turn.until("awaiting_approval");
  const followers = world().ports.db.selectFrom("followers").where("conversation_id", "=", turn.session);
  await expect.poll(() => followers.selectAll().execute(), { timeout: 20_000 }).toHaveLength(1);
  world().clock.advance(3_000);
  await world().backend.tick();
  expect(sent).toEqual([]);
  await turn.close();
  await expect
    .poll(async () => {
      await world().backend.tick();
      return sent;
    })
    .toMatchObject([
      {
        id: interaction_id,
        kind: "approval",
        service: "jira",
        line: "kay needs your approval for jira.",
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4000\/answer\/(int|gen)_/),
        session_id: turn.session,
      },
    ]);
  await world().backend.tick();
  expect(sent).toHaveLength(1);
  expect(JSON.stringify(sent)).not.toContain("KAY-3");
});

test("a missing connection is announced by the name of its service", async () => {
  const { token } = await connect(world());
  model.script({ calls: [["c1", "bitbucket.look", {}]] });
  const { status } = await world().call("POST /ask", { token, body: { prompt: "list them", background: true } });
  expect(status).toBe(200);
  await expect
    .poll(async () => {
      world().clock.advance(1_000);
      await world().backend.tick();
      return sent.map(({ kind, line }) => [kind, line]);
    })
    .toEqual([["auth", "kay needs a connection to bitbucket."]]);
});
