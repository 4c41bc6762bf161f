import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { InteractionPrompt, ToolInteraction, UserResponse } from "#backend/services/interaction";
import { personAsked } from "#backend/services/mcp/elicitation";
import { type Link, openLink } from "#backend/services/mcp/link";
import { createPrograms } from "#host/programs";

/** The reference server, as a program of this machine. */
const SERVER = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
const ASKING = { title: "Everything", where: "mcp-server-everything" };
let link: Link;

beforeAll(async () => {
  const programs = createPrograms(process.env, { kill: (pid, signal) => process.kill(pid, signal) });
  const place = { program: { programs, command: [process.execPath, SERVER, "stdio"] } };
  link = await openLink({
    name: "everything",
    title: "Everything",
    version: "0.0.0",
    elicits: true,
    place,
    era: "legacy",
  });
}, 30_000);

afterAll(() => link?.close());

/** A person who answers each card with what the test says. */
function person(...answers: UserResponse[]) {
  const cards: InteractionPrompt[] = [];
  const requestInteraction = async (request: ToolInteraction): Promise<unknown> => {
    let prompt: InteractionPrompt = request;
    for (;;) {
      cards.push(prompt);
      const outcome = await request.onResponse(answers.shift() ?? { action: "cancel" });
      if ("complete" in outcome) return outcome.complete;
      if ("reprompt" in outcome) prompt = outcome.reprompt;
    }
  };
  return { cards, people: { interaction: { available: true }, log: () => {}, requestInteraction } };
}

const textOf = (result: Awaited<ReturnType<Link["call"]>>) => JSON.stringify(result.content);

test("the reference server's form, with a field of each kind, is filled in, checked and answered", async () => {
  const input = {
    name: "Ann",
    check: true,
    email: "ann@example",
    integer: "42",
    untitledMultipleSelectEnum: ["Piano"],
    titledMultipleSelectEnum: ["fish-1"],
  };
  const { cards, people } = person(
    { action: "submit", input },
    { action: "submit", input: { ...input, email: "ann@example.test" } },
  );
  const asked = personAsked(people, ASKING);
  const result = await link.call("trigger-elicitation-request", {}, { writes: true, onElicitation: asked.answer });
  expect(cards[0]?.inputSchema?.fields.map(({ id, type }) => `${id} ${type}`)).toEqual([
    "name text",
    "check checkbox",
    "firstLine text",
    "email text",
    "homepage text",
    "birthdate text",
    "integer text",
    "number text",
    "untitledSingleSelectEnum select",
    "untitledMultipleSelectEnum checkbox",
    "titledSingleSelectEnum select",
    "titledMultipleSelectEnum checkbox",
    "legacyTitledEnum select",
  ]);
  expect(cards[1]?.error).toBe("“String with email format” must be an e-mail address.");
  expect(textOf(result)).toContain("ann@example.test");
});

test("its address is shown and answered, also where the call fails first for want of a visit", async () => {
  for (const errorPath of [false, true]) {
    const { cards, people } = person({ action: "submit" }, { action: "submit" });
    const call = { url: "https://example.com/pay", message: "Pay.", errorPath };
    await link.call("trigger-url-elicitation", call, {
      writes: false,
      onElicitation: personAsked(people, ASKING).answer,
    });
    expect(cards.map(({ link }) => link?.startsWith("https://"))).toEqual(errorPath ? [true, true] : [true]);
  }
});
