import { expect, test } from "vitest";
import { openInk } from "#test/ink";
import { type Machine, useKay } from "#test/kay";
import { withDesk } from "#test/session";

const kay = useKay();

/** Runs a command on a terminal and presses keys once a question is shown. */
async function choose(ann: Machine, line: string, question: string, ...keys: string[]) {
  const opened = await openInk(ann, line);
  await opened.shows(question);
  for (const key of keys) opened.type(key);
  return { ...(await opened.result), opened };
}

test("N41 connect without a name lets the user choose several services by filter and Tab", async () => {
  const { exit, stdout } = await choose(
    kay(),
    "connect",
    "Connect which service?",
    "jira",
    "\t",
    "\x15",
    "bitb",
    "\t",
    "\r",
  );
  expect({ exit, stdout }).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^Connected jira as .* at\nhttp:\S+\nConnected bitbucket as .* at http:\S+\n$/),
  });
});

test("Escape chooses nothing, Ctrl+C ends the command, and neither leaves the list on the terminal", async () => {
  const escaped = await choose(kay(), "connect", "which service", "\x1b");
  expect(escaped.exit).toBe(5);
  expect((await escaped.opened.all()).trim()).toBe("✗ Nothing was connected.");
  const stopped = await choose(kay(), "connect", "which service", "\x03");
  expect(stopped.exit).toBe(130);
  expect((await stopped.opened.all()).trim()).toBe("");
});

test.for(["ask -r", "answer", "sessions show", "sessions delete", "sessions export", "approvals revoke", "disconnect"])(
  "%s says what is missing in a pipe and with --no-input",
  async (line) => {
    const ann = kay({ signedIn: true });
    for (const setting of [{}, { terminal: true, columns: 200 }]) {
      const { exit, stderr } = await ann(`${line} --no-input`, setting);
      expect({ exit, stderr }).toEqual({
        exit: 2,
        stderr: expect.stringMatching(/missing\.|Missing required argument/),
      });
    }
  },
);

test("N33 N41 N42 N45 conversations are chosen from a list, and named by a short ID everywhere", async () => {
  const ann = kay({ signedIn: true });
  for (const line of ["show KAY-1", "show KAY-2", "show KAY-3"]) await ann(["ask", line]);
  const { stdout } = await ann("sessions list", { terminal: true, columns: 60, env: { NO_COLOR: "1" } });
  const [, id = ""] = /^([0-9a-f]{6,}) +show KAY-2 /m.exec(stdout) ?? [];
  expect(stdout).not.toContain("…");
  for (const line of [`sessions show ${id}`, `sessions show ${id.toUpperCase()}`, `sessions export ${id}`])
    expect(await ann(line)).toMatchObject({ exit: 0, stdout: expect.stringContaining("KAY-2") });
  const result = await choose(ann, "sessions show", "Which conversation?", "kay-2\r");
  expect(result).toMatchObject({ exit: 0, stdout: expect.stringContaining("KAY-2") });
  expect(await ann("sessions show session_17")).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(/^✗ "session_17" could be (\w+ \(show KAY-\d\)[,.]\s){3}/),
  });
  expect(await ann("sessions show abcabcabc")).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('No conversation matches "abcabcabc"'),
  });
  const session = await openInk(ann, "ask -r");
  await session.sees("Which conversation?");
  session.type("KAY-1\r");
  await session.shows("> show KAY-1");
  session.enter("/sessions");
  await session.sees("Which conversation?");
  session.type("KAY-3\r");
  await session.shows("> show KAY-3");
  session.enter(`/sessions ${id}`);
  await session.shows("> show KAY-2");
  session.enter("/sessions");
  await session.sees("Which conversation?");
  session.type("\x1b");
  await session.sheds("Which conversation?");
  session.type("still here");
  await session.sees("> still here");
  await session.leave();
});

test("open requests are chosen from a list and answered, or by a short ID", async () => {
  const ann = kay({ signedIn: true, services: withDesk([]) });
  await ann(["ask", "delete KAY-3"]);
  const { stdout } = await ann("pending");
  const [, id = ""] = /^([0-9a-f]{6})\tapproval\tDelete KAY-3 for good\t/m.exec(stdout) ?? [];
  const looked = await choose(ann, "pending", "Which request do you want to answer?", "\x1b");
  expect(looked).toMatchObject({ exit: 0, stdout: expect.stringContaining("Delete KAY-3 for good") });
  expect(await ann(`answer ${id} --deny`)).toMatchObject({ exit: 0 });
  expect(await ann(`answer ${id}`)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining("No open request has the ID"),
  });
  expect(await ann("answer", { terminal: true })).toMatchObject({ exit: 0, stderr: "No open requests.\n" });
});

test("/connect and /model without a name show a list", async () => {
  const session = await openInk(kay({ signedIn: true }), "ask", { columns: 40, rows: 12 });
  await session.sees(/^> /m);
  session.enter("/connect");
  await session.sees(/Connect which service\?[\s\S]*1 {2}○ jira/);
  session.type("\x1b");
  await session.shows("Nothing was connected.");
  session.enter("/model");
  await session.sees(/Which model for this session/);
  session.type("offline\r");
  await session.sheds("Which model");
  await session.leave();
});
