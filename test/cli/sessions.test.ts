import { lstatSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { parseDocument, useKay } from "#test/kay";
import { approval, begins, brings, calls, createAnswer, createText, ends, sse } from "#test/parts";

const kay = useKay();
const TERMINAL = { terminal: true, env: { NO_COLOR: "1" } };
const AT = "2026-11-27T12:00:00.000Z";
/** `AT` as a local clock time. */
const CLOCK = new Date(AT).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
const BUGS = { id: "session_1", title: "Bugs", created_at: AT, updated_at: AT, status: "completed", last_event: 9 };

const LOG: StreamPart[] = [
  { type: "data-user-message", data: { text: "send the open bugs to #general, please", source: "typed" } },
  ...begins(),
  calls("slack.send_message", { channel: "#general", text: "3 open bugs" }),
  approval(),
  createAnswer({ action: "approve", approval_scope: "session", client: "kay on desk", answered_at: AT }),
  brings({ ok: true }),
  {
    type: "data-receipt",
    data: { tool_call_id: "c1", tool: "slack.send_message", effect: "settled", summary: "Send a message to #general" },
  },
  ...createText("| Where | What |\n|---|---|\n| #general | 3 open bugs |\n\nIt is **sent**."),
  ...ends(),
];

function ann() {
  const machine = kay({ signedIn: true });
  const { network } = machine.place;
  network.always("GET /sessions/session_1/events", { stream: sse(LOG) });
  network.always("GET /sessions/session_1", { json: BUGS });
  network.always("GET /sessions", { json: { data: [BUGS], page: 1, limit: 30, total: 31, has_more: true } });
  return machine;
}

test("kay sessions list shows conversations, most recent first", async () => {
  expect(await ann()("sessions list", TERMINAL)).toEqual({
    exit: 0,
    stdout: "ID         TITLE  STATUS     UPDATED\nsession_1  Bugs   completed  2026-11-27 12:00 UTC\n",
    stderr: "31 in all; --page 2 shows more.\n",
  });
});

test("kay sessions show replays a conversation as text, with how each question ended", async () => {
  expect(await ann()("sessions show bugs", TERMINAL)).toEqual({
    exit: 0,
    stdout: `> send the open bugs to #general, please

⏺ slack.send_message  channel = #general, text = 3 open bugs
✓ slack.send_message approved for this session by kay on desk, ${CLOCK}
✓ Send a message to #general

WHERE     WHAT
#general  3 open bugs

It is sent.
`,
    stderr: "",
  });
});

test.for([
  ["--width 40", {}],
  ["", { ...TERMINAL, columns: 40 }],
] as const)("it fits 40 columns (%s)", async ([flags, setting]) => {
  const { stdout } = await ann()(`sessions show latest ${flags}`, setting);
  expect(Math.max(...stdout.split("\n").map((line) => [...line].length))).toBeLessThanOrEqual(40);
  expect(stdout).toContain("#general  3 open bugs\n");
});

test("--json has every event", async () => {
  expect(parseDocument(await ann()("sessions show session_1 --json"))).toEqual({
    ...BUGS,
    events: LOG.map((part, index) => ({ number: index + 1, ...part })),
  });
});

test("kay sessions rename sets the title", async () => {
  const machine = ann();
  machine.place.network.on("PATCH /sessions/session_1", { json: { ...BUGS, title: "Open bugs" } });
  expect(await machine("sessions rename latest Open bugs")).toMatchObject({
    exit: 0,
    stdout: "session_1 is now “Open bugs”.\n",
  });
});

test("kay sessions delete asks first, and scripts need --yes", async () => {
  const machine = ann();
  expect(await machine("sessions delete latest", { ...TERMINAL, types: ["n"] })).toMatchObject({
    exit: 5,
    stderr: "Permanently delete “Bugs” (session_1)? [y/N] n\n✗ Nothing was deleted.\n",
  });
  expect(await machine("sessions delete latest")).toMatchObject({ exit: 2 });
  machine.place.network.on("DELETE /sessions/session_1", { json: { status: "deleted" } });
  expect(await machine("sessions delete latest --yes")).toMatchObject({
    exit: 0,
    stdout: "Deleted “Bugs” (session_1).\n",
  });
});

const GRANT = {
  id: "grant_1",
  scope: "always",
  tool: "slack.send_message",
  words: "slack.send_message to #general",
  account: "ann@example.test",
  created_at: AT,
  expires_at: null,
  last_used_at: AT,
};

test("kay approvals list shows the exact words of each; revoke asks, and says what it removed", async () => {
  const machine = kay({ signedIn: true });
  machine.place.network.always("GET /approvals", { json: { approvals: [GRANT] } });
  machine.place.network.on("DELETE /approvals/grant_1", { json: { status: "revoked" } });
  expect((await machine("approvals list")).stdout).toBe(
    "grant_1\talways\tslack.send_message to #general\tann@example.test\t\t2026-11-27\n",
  );
  expect(await machine("approvals revoke grant_1", { ...TERMINAL, types: ["y"] })).toMatchObject({
    exit: 0,
    stdout: "Revoked “slack.send_message to #general”. kay will ask again next time.\n",
    stderr: "Revoke “slack.send_message to #general”? [y/N] y\n",
  });
  expect(await machine("approvals revoke grant_9 --yes")).toMatchObject({ exit: 1 });
});

test("kay approvals test says whether a call would ask, and why", async () => {
  const machine = kay({ signedIn: true });
  machine.place.network.on("POST /approvals/test", {
    json: { asks: false, why: "You approved it for always.", grant: GRANT },
  });
  const line = ["approvals", "test", "slack.send_message", '{"channel":"#general"}'];
  expect((await machine(line)).stdout).toBe("Would run without asking: You approved it for always.\n");
  expect(machine.place.network.seen.at(-1)?.body).toEqual({
    tool: "slack.send_message",
    input: { channel: "#general" },
  });
});

test("kay policy gets and sets what may run without asking", async () => {
  const machine = kay({ signedIn: true });
  const policies = [{ target: "slack", mode: "reads" }];
  machine.place.network.always("GET /policies", { json: { policies } });
  machine.place.network.on("PUT /policies", { json: { policies } }, { json: { policies: [] } });
  expect((await machine("policy get")).stdout).toBe("slack\treads\trun only reads\n");
  expect((await machine("policy set slack reads")).stdout).toBe("slack: reads (run only reads)\n");
  expect((await machine("policy set slack unset")).stdout).toBe("slack: unset\n");
  const requests = machine.place.network.seen.filter(({ method }) => method === "PUT").map(({ body }) => body);
  expect(requests).toEqual([{ policies }, { policies: [{ target: "slack", mode: null }] }]);
  expect(await machine("policy set slack never")).toMatchObject({ exit: 2 });
});

test("kay policy get with an unknown target is a usage error with the nearest name; without a policy it is not", async () => {
  const machine = kay({ signedIn: true });
  expect(await machine("policy get slak")).toEqual({
    exit: 2,
    stdout: "",
    stderr: '✗ No service or tool is called "slak".\n  Did you mean slack?\n',
  });
  expect(await machine("policy get frobnicate")).toMatchObject({
    exit: 2,
    stderr: '✗ No service or tool is called "frobnicate".\n  Run `kay tools list` to list them.\n',
  });
  for (const target of ["slack", "slack.send_message", "*"])
    expect(await machine(`policy get ${target}`)).toMatchObject({ exit: 0, stdout: "" });
});

test("kay sessions export keeps a symbolic link, writes into a device, and replaces no folder", async () => {
  const machine = ann();
  await machine("whoami");
  const inFolder = (name: string) => join(machine.folder, name);
  mkdirSync(inFolder("folder"));
  symlinkSync("folder/talk.md", inFolder("talk.md"));
  expect(await machine("sessions export bugs -o talk.md")).toMatchObject({ exit: 0 });
  expect([lstatSync(inFolder("talk.md")).isSymbolicLink(), readFileSync(inFolder("folder/talk.md"), "utf8")]).toEqual([
    true,
    expect.stringContaining("3 open bugs"),
  ]);
  expect(await machine("sessions export bugs -o /dev/null --yes")).toMatchObject({ exit: 0 });
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  expect(await machine("sessions export bugs -o folder --yes")).toEqual({
    exit: 2,
    stdout: "",
    stderr: '✗ "folder" is a folder.\n  Specify a file in it.\n',
  });
});
