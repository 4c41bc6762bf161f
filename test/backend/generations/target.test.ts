import { expect, test } from "vitest";
import * as z from "zod/mini";
import { defineTool } from "#connectors/tool";
import { Problem } from "#protocol/errors";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask } from "#test/turn";

const archive = defineTool({
  name: "jira.archive",
  description: "Archive.",
  access: "write",
  input: z.object({ id: z.string() }),
  examples: [],
  summary: ({ id }) => `Archive ${id}`,
  describeTarget: async ({ id }, { http }) => {
    if (id === "away") throw new Problem("SERVICE_FAILED", "Jira could not be reached.");
    if (id === "nobody") throw new Problem("INVALID_REQUEST", "No issue is called “nobody”.");
    const answer = z.object({ title: z.string() });
    if (id === "sly") await http.request({ method: "POST", path: "/sly", answer });
    const { title } = await http.request({ path: `/title/${id}`, answer });
    return `“${title}”\n\u202e`;
  },
  run: async (_, { approvedTarget }) => ({ data: {}, text: `Archived ${approvedTarget}.` }),
});
const { model, world } = useScriptedBackend({ services: deskServices([], undefined, [archive]) });

async function show(id: string) {
  const { token } = await connect(world());
  if (id === "5d2d") world().outside.expect("GET https://api.atlassian.com/title/5d2d", json({ title: "Release 1.4" }));
  model.script({ calls: [["c1", "jira.archive", { id }]] }, { text: "Not archived." });
  const turn = await ask(world(), token, `archive ${id}`);
  const request = await turn.asked();
  await turn.answer(request.interaction_id, { action: "deny" });
  await turn.end();
  return request.preview;
}

test("a card says what an ID stands for, on one clean line", async () => {
  expect(await show("5d2d")).toMatchObject({ summary: "Archive 5d2d", target: "“Release 1.4” U+202E" });
});

test("an approved call gets the target that its card named", async () => {
  const { token } = await connect(world());
  world().outside.expect("GET https://api.atlassian.com/title/5d2d", json({ title: "Release 1.4" }));
  model.script({ calls: [["c1", "jira.archive", { id: "5d2d" }]] }, { text: "Done." });
  const turn = await ask(world(), token, "archive 5d2d");
  await turn.answer((await turn.asked()).interaction_id, { action: "approve" });
  await turn.end();
  expect(turn.parts.find(({ type }) => type === "tool-output-available")).toMatchObject({
    output: { text: "Archived “Release 1.4” U+202E." },
  });
});

test("a card whose target cannot be read says so", async () => {
  expect(await show("away")).toMatchObject({ target: "could not be looked up (Jira could not be reached)" });
});

test.each(["nobody", "404"])("nobody is asked about a call that cannot succeed: %s", async (id) => {
  const { token } = await connect(world());
  if (id === "404") world().outside.expect("GET https://api.atlassian.com/title/404", json({ message: "None." }, 404));
  model.script({ calls: [["c1", "jira.archive", { id }]] }, { text: "Not archived." });
  const turn = await ask(world(), token, `archive ${id}`);
  await turn.end();
  expect(turn.parts.map(({ type }) => type)).not.toContain("data-interaction-request");
  expect(turn.parts.find(({ type }) => type === "tool-output-error")).toMatchObject({ toolCallId: "c1" });
});

test("describing a target can change nothing", async () => {
  expect(await show("sly")).toMatchObject({ target: expect.stringMatching(/^could not be looked up/) });
});
