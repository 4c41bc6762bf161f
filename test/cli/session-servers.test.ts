import { beforeEach, expect, test, vi } from "vitest";
import { parseArguments } from "#cli/session/slash/prompts";
import { createPrograms } from "#host/programs";
import { EVERYTHING } from "#test/everything";
import { openInk } from "#test/ink";
import { type Machine, useKay } from "#test/kay";
import { read, typeLines } from "#test/session";

const kay = useKay();
const starter = createPrograms({ PATH: process.env.PATH }, process);

vi.setConfig({ testTimeout: 60_000 });

let ann: Machine;

beforeEach(async () => {
  ann = kay({ own: true, signedIn: true, starter, model: { env: {} } });
  await ann(["services", "add", "--name", "all", "--yes", "--mcp", "--", ...EVERYTHING, "stdio"]);
});

/** Returns a line session's answers to these inputs. */
async function answers(...lines: string[]): Promise<string> {
  expect((await ann("ask", typeLines([...lines, "/quit"]))).exit).toBe(0);
  const [, output = ""] = /Ctrl\+C twice to quit\.\n([\s\S]*)> \/quit\n/.exec(read(ann)) ?? [];
  return output;
}

/** Lists the bodies of the requests to the model. */
function listRequests(): { prompt: string; context?: Record<string, unknown> }[] {
  const { seen } = ann.place.network;
  return seen
    .filter(({ url }) => new URL(url).pathname.startsWith("/ask"))
    .map(({ body }) => body as ReturnType<typeof listRequests>[number]);
}

test("a prompt of a server is shown, and goes to the model after approval, as text that others wrote", async () => {
  const output = await answers("/all:args-prompt city=Bern", "n", "/all:args-prompt Bern", "y");
  expect(output).toContain(
    "The MCP server all wrote this prompt, not kay:\n\nWhat's weather in Bern?\n\nSend this prompt of all to the model? [y/N] n\nNothing was sent.\n",
  );
  expect(listRequests()).toMatchObject([
    {
      prompt: "Do what the prompt all:args-prompt asks. Its text is in the context.",
      context: { prompt: { name: "all:args-prompt", text: "What's weather in Bern?" } },
    },
  ]);
});

test("a missing required argument is asked for in a form, which can be left", async () => {
  const output = await answers("/all:args-prompt", "f", "Bern", "", "s", "n", "/all:args-prompt", "c");
  expect(output).toContain("What's weather in Bern?");
  expect(output.split("Nothing was sent.")).toHaveLength(3);
  expect(listRequests()).toEqual([]);
});

test("a prompt or server that does not exist is one sentence with a next step", async () => {
  const output = await answers("/all:arg-prompt", "/linear:standup", "/all:simple-prompt now");
  expect(output).toContain("error: all has no prompt arg-prompt. Did you mean /all:args-prompt?");
  expect(output).toContain("error: No connected MCP server linear has prompts.");
  expect(output).toContain("error: This prompt takes no arguments.");
});

test("a mentioned resource joins the prompt, and an unreadable one is named", async () => {
  const uri = "demo://resource/dynamic/text/3";
  const output = await answers(`summarise @all:${uri} and @all:demo://nothing, not @other:thing`);
  expect(output).toMatch(/@?all:demo:\/\/nothing cannot be read\. [\s\S]*not found\. Only its name was sent\./);
  expect(listRequests()).toMatchObject([
    { context: { resources: [{ name: `all:${uri}`, text: expect.stringContaining("Resource 3: ") }] } },
  ]);
});

test("prompts and resources of servers are offered in the lists of commands and mentions", async () => {
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ink.type("/all:");
  await ink.sees("/all:args-prompt");
  await ink.sees("A prompt with two arguments, one required and one op…");
  ink.type("args-prompt\r");
  await ink.sees("city");
  await ink.press("Bern");
  for (const next of ["› state", "enter submit"]) {
    ink.type("\r");
    await ink.sees(next);
  }
  await ink.press("\r");
  await ink.shows("What's weather in Bern?");
  await ink.sees("Send this prompt of all to the model?");
  await ink.press("y");
  await expect.poll(listRequests).toMatchObject([{ context: { prompt: { text: "What's weather in Bern?" } } }]);
  ink.type("read @all:architecture");
  await ink.sees("@all:demo://resource/static/document/architecture.md");
  await ink.leave();
});

test("arguments are named, or in order; the last one takes the rest, and quotes keep spaces", () => {
  const prompt = { arguments: ["team", "day"].map((name) => ({ name, description: "", required: false })) };
  expect(parseArguments(prompt, "KAY next week")).toEqual({ team: "KAY", day: "next week" });
  expect(parseArguments(prompt, 'day="next week" KAY')).toEqual({ team: "KAY", day: "next week" });
  expect(parseArguments(prompt, "")).toEqual({});
});
