import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { useKay } from "#test/kay";
import { approval, begins, brings, calls, createAnswer, createText, ends, sse, status } from "#test/parts";

const kay = useKay();
const AT = "2026-11-27T12:00:00.000Z";

const OLD: StreamPart[] = [...begins(), ...createText("Long ago."), ...ends()];
const FIRST: StreamPart[] = [
  { type: "start", messageMetadata: { session_id: "session_1", generation_id: "gen_2" } },
  status("running"),
  calls("slack.send_message", { channel: "#general" }),
];

/** Creates a user whose latest conversation is at `now`, with `openingParts` in its log and `rest` to follow. */
function openAt(now: string, openingParts: StreamPart[], rest: StreamPart[]) {
  const ann = kay({ signedIn: true });
  const conversation = {
    id: "session_1",
    title: "Bugs",
    created_at: AT,
    updated_at: AT,
    status: now,
    last_event: openingParts.length,
  };
  const { network } = ann.place;
  network.always("GET /sessions/session_1/events", ({ url }) => ({
    stream: url.includes("live=false")
      ? sse(openingParts)
      : (async function* () {
          yield* sse(openingParts, { ends: false });
          yield* sse(rest, { first: openingParts.length + 1, ends: false });
          await new Promise(() => {});
        })(),
  }));
  network.always("GET /sessions/session_1", { json: conversation });
  network.always("GET /sessions", { json: { data: [conversation], page: 1, limit: 30, total: 1, has_more: false } });
  return ann;
}

test("in a script attach shows the latest request from its beginning, and follows it to its end", async () => {
  const ann = openAt("running", [...OLD, ...FIRST], [brings({ ok: true }), ...createText("It is sent."), ...ends()]);
  expect(await ann("attach")).toEqual({ exit: 0, stdout: "It is sent.\n", stderr: "" });
});

test("it exits with 8 at an open request, and says how to answer", async () => {
  const ann = openAt("awaiting_approval", [...OLD, ...FIRST, approval(), status("awaiting_approval")], []);
  const { exit, stdout, stderr } = await ann("attach bugs");
  expect(exit).toBe(8);
  expect(stdout).toContain("kay wants to run slack.send_message");
  expect(stderr).toContain("  kay answer int_1 --approve\n");
});

test("a request that was answered since does not stop it: a denial exits with 5, an approval continues to the end", async () => {
  const stopped = [...OLD, ...FIRST, approval(), status("awaiting_approval")];
  const denied = [createAnswer({ action: "deny" }), ...createText("I did not send it."), ...ends()];
  expect(await openAt("completed", [...stopped, ...denied], [])("attach")).toMatchObject({
    exit: 5,
    stdout: expect.stringContaining("I did not send it.\n"),
  });
  const approved = [createAnswer({ action: "approve" }), status("running")];
  const rest = [brings({ ok: true }), ...createText("It is sent."), ...ends()];
  expect(await openAt("running", [...stopped, ...approved], rest)("attach")).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("It is sent.\n"),
  });
});

test("--json prints each part as a line", async () => {
  const ann = openAt("running", [...OLD, ...FIRST], [...createText("Sent."), ...ends()]);
  const { exit, stdout } = await ann("attach --json");
  const types = stdout
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { type: string }).type);
  expect([exit, types[0], types.at(-1)]).toEqual([0, "start", "finish"]);
});

test("a conversation that has ended is reported, and there must be one", async () => {
  expect(await openAt("completed", OLD, [])("attach")).toMatchObject({ exit: 0, stdout: "Long ago.\n" });
  const bob = kay({ signedIn: true });
  expect(await bob("attach")).toMatchObject({ exit: 1 });
});
