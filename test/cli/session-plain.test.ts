import { expect, test } from "vitest";
import { useKay } from "#test/kay";
import { openDesk, read, shows, typeLines } from "#test/session";

const kay = useKay();

const GREETING = "kay session. Type a request and press Enter. /help lists commands; press Ctrl+C twice to quit.\n";
const OFFLINE = "Answered by the offline planner, without a language model.\n";
const BACK = "Come back with: kay ask --resume ID\n";

/** The card of a call that cannot be undone. */
const CARD = `approval 1 of 1:

kay wants to run jira.delete_issue, which cannot be undone, as Dana Demo (kay-demo).
  Delete KAY-3 for good
  issue: KAY-3

  1  once
  2  this session: jira.delete_issue with exactly these arguments as Dana Demo (kay-demo)
  e  edit
  n  deny
Your answer, 1/2/e/n (TIME left): `;

const desk = () => openDesk(kay);

test("a session answers one request after another, with labels, and prints how to resume", async () => {
  const { ann, log } = desk();
  expect((await ann("ask", typeLines(["show KAY-3", "delete KAY-3", "1", "/quit"]))).exit).toBe(0);
  expect(read(ann)).toBe(`${GREETING}> show KAY-3
tool jira.show_issue: working, issue = KAY-3
tool jira.show_issue: done, 0.0 s
kay: KAY-3 is open.

${OFFLINE}> delete KAY-3
tool jira.delete_issue: working, issue = KAY-3
${CARD}1
approval ended: approved by kay …
tool jira.delete_issue: done, 0.0 s
kay: KAY-3 is deleted.

${OFFLINE}> /quit
${BACK}`);
  expect(log).toEqual(["show KAY-3", "delete KAY-3"]);
  expect(ann.raw().both).not.toContain("\x1b");
});

test("missing services are connected by their link, and the same request continues", async () => {
  const ann = kay({ signedIn: true });
  expect((await ann("ask", typeLines(["find pages about release", "/quit"]))).exit).toBe(0);
  expect(read(ann)).toContain(`tool confluence.search: working, text = release, type = page
connection 1 of 1:

Connect confluence to continue (Confluence is not connected).

To connect confluence, allow access at 127.0.0.1:4010:

URL

There is no display to open a browser on. Open the link manually.
Waiting for confluence to be connected. Press Ctrl+C to cancel.
`);
  expect(read(ann)).toMatch(/tool confluence.search: done, 1 page, \d\.\d s\nkay: 1 page about “release”:\n/);
  expect(ann.raw().both).not.toContain("\x1b");
});

test("a session that ended at a card returns with it open, and an answer runs the work once", async () => {
  const { ann, log } = desk();
  expect((await ann("ask", typeLines(["delete KAY-3", null]))).exit).toBe(8);
  expect(log).toEqual([]);
  expect((await ann("ask --continue", typeLines(["1", "/quit"]))).exit).toBe(0);
  expect(read(ann)).toBe(`${GREETING}you: delete KAY-3

tool jira.delete_issue: waiting for an answer, issue = KAY-3

${CARD}1
approval ended: approved by kay …
tool jira.delete_issue: done, 0.0 s
kay: KAY-3 is deleted.

${OFFLINE}> /quit
${BACK}`);
  expect(log).toEqual(["delete KAY-3"]);
});

test("a closed terminal cancels nothing: open requests can be answered later", async () => {
  const { ann, log } = desk();
  const running = ann("ask", typeLines(["delete KAY-3"]));
  await shows(ann, "Your answer");
  ann.interrupt("SIGHUP");
  expect((await running).exit).toBe(129);
  await ann("ask --resume latest", typeLines(["1", null]));
  expect(log).toEqual(["delete KAY-3"]);
});

test("kay attach sees the same card, the first answer counts, and its work is shown to the other", async () => {
  const { ann, log } = desk();
  let leave = (_: string) => {};
  const leaving = new Promise<string>((resolve) => {
    leave = resolve;
  });
  const first = ann("ask", typeLines(["delete KAY-3", leaving]));
  await shows(ann, "Your answer");
  const firsts = ann.raw();
  expect((await ann("attach", typeLines(["1", "show KAY-1", "/quit"]))).exit).toBe(0);
  await shows({ raw: () => firsts }, "KAY-1 is open.");
  leave("/quit");
  expect((await first).exit).toBe(0);
  expect(firsts.both).toMatch(/Answered elsewhere: approved by kay attach [0-9a-f]{4}\./);
  expect(firsts.both).toContain("> \nyou: show KAY-1\ntool jira.show_issue: working, issue = KAY-1\n");
  expect(log).toEqual(["delete KAY-3", "show KAY-1"]);
});

test("G01 lines typed during work never answer a card; they are sent afterwards, and an unfinished one is kept", async () => {
  const { ann, log } = desk();
  const ahead = ["", "", "show KAY-1\nshow K"];
  expect((await ann("ask", typeLines(["delete KAY-3", "1", "AY-2", "/quit"], { ahead }))).exit).toBe(0);
  expect(log).toEqual(["delete KAY-3", "show KAY-1", "show KAY-2"]);
  expect(read(ann)).toContain("\nkept for your next message: show K\nYour answer, 1/2/e/n (TIME left): 1\n");
  expect(read(ann)).toContain("> show KAY-1\ntool jira.show_issue");
  expect(read(ann)).toContain("> show KAY-2\ntool jira.show_issue");
});

test("Ctrl+C cancels the running work, and twice at the prompt leaves", async () => {
  const { ann, log } = desk();
  expect((await ann("ask", typeLines(["delete KAY-3", "\x03", "show KAY-1", "\x03", "\x03"]))).exit).toBe(0);
  expect(log).toEqual(["show KAY-1"]);
  expect(read(ann)).toContain(`Your answer, 1/2/e/n (TIME left): \ncanceled\n> show KAY-1\n`);
  expect(read(ann).endsWith(`> \nPress Ctrl+C again to exit.\n> \n${BACK}`)).toBe(true);
});

test("a line after the first Ctrl+C is sent, and disarms it", async () => {
  const { ann } = desk();
  await ann("ask", typeLines(["\x03", "show KAY-1", "\x03", "/quit"]));
  expect(read(ann).match(/Press Ctrl\+C again to exit/g)).toHaveLength(2);
  expect(read(ann)).toContain("KAY-1 is open.");
});

test("the end of the input leaves; a session without requests has nothing to resume", async () => {
  const { ann } = desk();
  expect((await ann("ask --plain", { ...typeLines([null]), env: { NO_COLOR: "1" } })).exit).toBe(0);
  expect(read(ann)).toBe(`${GREETING}> \n`);
});

test("a failed request is reported, and the session continues", async () => {
  const { ann } = desk();
  ann.place.network.on("POST /ask", {
    status: 503,
    json: { error: "MODEL_NOT_CONFIGURED", code: "MODEL_NOT_CONFIGURED", message: "No model is there." },
  });
  expect((await ann("ask", typeLines(["show KAY-1", "show KAY-1", "/quit"]))).exit).toBe(0);
  expect(read(ann)).toContain("> show KAY-1\nerror: No model is there.\n");
  expect(read(ann)).toContain("KAY-1 is open.");
});

test("ask --confirm starts a session in plan mode: reads run, a change asks once whatever a policy says; /plan turns it off", async () => {
  const { ann, log } = desk();
  await ann("policy set jira everything");
  const input = ["show KAY-3", "delete KAY-3", "1", "/plan", "delete KAY-4", "/quit"];
  expect((await ann("ask --confirm", typeLines(input))).exit).toBe(0);
  const output = read(ann);
  expect(output).toContain(`${GREETING.trimEnd()} Plan mode is on.\n`);
  expect(output.match(/kay wants to run .*\n.*\n.*\n\n {2}1 {2}once\n {2}e .*\n {2}n {2}deny/g)).toHaveLength(1);
  expect(output).toContain("Plan mode is off. Your policies decide what needs approval.");
  expect(log).toEqual(["show KAY-3", "delete KAY-3", "delete KAY-4"]);
});

test("without a terminal, and for scripts, ask without a prompt stays a usage error", async () => {
  const { ann } = desk();
  for (const [line, setting] of [
    ["ask", {}],
    ["ask --json", typeLines(["/quit"])],
    ["ask --no-input", typeLines(["/quit"])],
    ["ask", { ...typeLines(["/quit"]), terminal: ["stdin", "stderr"] }],
    ["ask", typeLines(["/quit"], { env: { CI: "true" } })],
  ] as const)
    expect(await ann(line, setting as object)).toMatchObject({ exit: 2 });
});
