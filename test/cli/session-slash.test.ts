import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseSlash } from "#cli/session/slash/read";
import { formatSlashHelp, SLASH_COMMANDS } from "#cli/session/slash/table";
import { createPrograms } from "#host/programs";
import { EVERYTHING } from "#test/everything";
import { type Machine, parseDocument, useKay } from "#test/kay";
import { read, typeLines, withDesk } from "#test/session";

const kay = useKay();

/** Returns a session's answers to these inputs; the last one leaves. */
async function answers(ann: Machine, ...lines: string[]): Promise<string> {
  return answersIn(ann, 200, ...lines);
}

/** Returns what {@link answers} does, on a terminal of this many columns. */
async function answersIn(ann: Machine, columns: number, ...lines: string[]): Promise<string> {
  expect((await ann("ask", typeLines([...lines, "/quit"], { columns }))).exit).toBe(0);
  const [, output = ""] = /Ctrl\+C\s+twice\s+to\s+quit\.\n([\s\S]*)> \/quit\n/.exec(read(ann)) ?? [];
  return output.replaceAll(ann.folder, "~");
}

test("/help lists every command with its description", async () => {
  for (const columns of [80, 200]) {
    const output = await answersIn(kay({ signedIn: true }), columns, "/help");
    expect(output).toBe(`> /help\n${formatSlashHelp(columns)}\n`);
  }
  for (const { name } of SLASH_COMMANDS) expect(formatSlashHelp(80)).toContain(`  /${name}`);
});

test("/help keeps its columns apart in every window, and stacks them if there is no room for two", () => {
  expect(formatSlashHelp(80)).toContain(`
  /connect [SERVICE…] [--site NAME]  Connect services, each through its consent
                                     page
  /disconnect [SERVICE…]             Disconnect services
`);
  expect(formatSlashHelp(40)).toContain(`
  /connect [SERVICE…] [--site NAME]
    Connect services, each through its
    consent page
  /disconnect [SERVICE…]
    Disconnect services
`);
  for (const width of [40, 60, 80, 200])
    expect(
      formatSlashHelp(width)
        .split("\n")
        .slice(0, -1)
        .filter((row) => row.length > width),
    ).toEqual([]);
});

test.for([
  ["/sessions 2", { kind: "command", argument: "2" }],
  ["/POLICY  slack ask ", { kind: "command", argument: "slack ask" }],
  ["/linear:standup team=KAY", { kind: "command", argument: "team=KAY" }],
  ["/http://x", { kind: "text", text: "/http://x" }],
  ["/exit", { kind: "command", argument: "" }],
  ["/usr/bin is full", { kind: "text", text: "/usr/bin is full" }],
  ["/etc/hosts", { kind: "text", text: "/etc/hosts" }],
  ["// is a comment", { kind: "text", text: "// is a comment" }],
  ["//help", { kind: "text", text: "//help" }],
  ["/standup KAY", { kind: "text", text: "/standup KAY" }],
  ["/", { kind: "text", text: "/" }],
  ["/help\nme", { kind: "text", text: "/help\nme" }],
  ["see /help", { kind: "text", text: "see /help" }],
] as const)("%j is %j", ([line, expected]) => {
  expect(parseSlash(line, ["standup", "sessions"])).toMatchObject(expected);
});

test.for([
  ["/conect jira", "Unknown command /conect. Did you mean /connect?"],
  ["/frobnicate", "Unknown command /frobnicate. Run /help to see them all."],
])("%s is not a command, and the nearest one is named", ([line = "", sentence]) => {
  expect(() => parseSlash(line)).toThrow(sentence);
});

test("/connections, /connect and /disconnect show, connect, and disconnect after confirmation", async () => {
  const ann = kay({ signedIn: true });
  const output = await answers(
    ann,
    "/connect confluence",
    "/disconnect confluence",
    "n",
    "/disconnect confluence",
    "y",
  );
  expect(output).toBe(`> /connect confluence
To connect confluence, allow access at 127.0.0.1:4010:

URL

There is no display to open a browser on. Open the link manually.
Waiting for authorization in your browser (10 minutes left)…
Connected confluence as Dana Demo (dana@example.com) at http://127.0.0.1:4010/sites/kay-demo
> /disconnect confluence
Disconnect confluence? [y/N] n
No service was disconnected.
> /disconnect confluence
Disconnect confluence? [y/N] y
Disconnected confluence.
kay deleted its tokens for Confluence and did not revoke them: that would end the access of jira too.
`);
  expect(await answers(ann, "/connections")).toContain("> /connections\njira\n  STATE    connected\n");
  expect(await answers(ann, "/connect")).toBe(`> /connect
error: Specify a service to connect.
  For example /connect jira. The services are jira, confluence, bitbucket, slack, github, gmail, google-calendar, google-docs, google-sheets, google-drive, notion, airtable, hubspot, linkedin, kyg.
`);
  expect(await answers(ann, "/disconnect nosuch")).toContain('error: Unknown service "nosuch".');
});

test("/policy shows and sets what runs without asking", async () => {
  const ann = kay({ signedIn: true });
  expect(await answers(ann, "/policy", "/policy jira ask", "/policy jira", "/policy jira never")).toBe(`> /policy
No policies set. Each tool's default applies.
> /policy jira ask
jira: ask (ask every time)
> /policy jira
jira
  MODE  ask
  ask every time
> /policy jira never
error: Unknown mode "never".
  Use ask, reads, everything or unset.
`);
});

test("/approvals lists saved approvals, and revoke asks first", async () => {
  const ann = kay({ signedIn: true, services: withDesk([]) });
  await answers(ann, "delete KAY-3", "2");
  const [, id = ""] = /^([0-9a-f]{6})$/m.exec(await answers(ann, "/approvals")) ?? [];
  const words = "jira.delete_issue with exactly these arguments as Dana Demo (kay-demo)";
  const question = `Revoke “${words}”? [y/N]`;
  expect(
    await answers(ann, `/approvals revoke ${id}`, "n", `/approvals revoke ${id}`, "y", "/approvals"),
  ).toBe(`> /approvals revoke ${id}
${question} n
No approval was revoked.
> /approvals revoke ${id}
${question} y
Revoked “${words}”. kay will ask again next time.
> /approvals
No saved approvals.
`);
});

test("/pending, /tools and /model show open requests, tools, and the model", async () => {
  const ann = kay({ signedIn: true, services: withDesk([]) });
  await ann("ask", typeLines(["delete KAY-3", null]));
  const output = await answers(ann, "/pending", "/tools jira", "/model");
  expect(output).toContain("  KIND          approval\n  WHAT          Delete KAY-3 for good\n");
  expect(output).toContain("jira.show_issue\n  ACCESS   read\n  SERVICE  connected\n  DOES     Read one Jira issue.\n");
  expect(output).toContain("> /model\nOffline planner: ");
});

test("/model NAME chooses the model for later requests, and /model default undoes it", async () => {
  const ann = kay({ own: true, signedIn: true });
  const output = await answers(
    ann,
    ...["/model offline", "/model", "/model default", "/model", "/model nobody:x", "/model a b"],
  );
  expect(output).toContain(
    "> /model offline\nThe next requests of this session go to offline. Use /model default to undo this.\n",
  );
  expect(output).toContain("> /model\noffline: chosen with /model for this session.\n");
  expect(output).toContain("> /model default\nThe next requests go to offline.\n> /model\nOffline planner: ");
  expect(output).toContain('> /model nobody:x\nerror: Unknown model provider "nobody".');
  expect(output).toContain("> /model a b\nerror: A model name cannot contain spaces.");
});

test("/sessions lists with numbers; a number, an ID or a title continues there, /clear starts a new one", async () => {
  const ann = kay({ signedIn: true, services: withDesk([]) });
  expect(await answers(ann, "show KAY-1", "/rename First one", "/clear", "/rename x")).toContain(
    "> /clear\nStarted a new conversation.\n> /rename x\nerror: There is nothing to rename yet.\n",
  );
  await ann.place.clock.sleep(1_000);
  await answers(ann, "show KAY-2");
  const output = await answers(ann, "/sessions", "/sessions 2", "/sessions show kay-2", "/sessions 9");
  expect(output).toContain("  TITLE    show KAY-2\n");
  expect(output).toContain("  TITLE    First one\n");
  expect(output).toContain("> /sessions 2\nyou: show KAY-1\n");
  expect(output).toContain("> /sessions show kay-2\nyou: show KAY-2\n");
  expect(output).toContain("> /sessions 9\nerror: No conversation matches 9.\n");
});

test("/export writes the conversation, for this user only, and asks before it replaces a file", async () => {
  const ann = kay({ signedIn: true, services: withDesk([]) });
  const output = await answers(ann, "show KAY-1", "/export md talk.md", "/export talk.md", "n", "/export talk.json");
  expect(output).toContain(`> /export md talk.md
Written to ~/talk.md.
> /export talk.md
~/talk.md already exists. Replace it? [y/N] n
Nothing was written.
> /export talk.json
Written to ~/talk.json.
`);
  expect(readFileSync(join(ann.folder, "talk.md"), "utf8")).toMatch(
    /^# show KAY-1\n\nsession_\w+, started 2026-11-27 12:00 UTC\n\n## You\n\nshow KAY-1\n\n- tool jira.show_issue: done, 0\.0 s\n\n## kay\n\n\*\*KAY-1\*\* is open\./,
  );
  expect(JSON.parse(readFileSync(join(ann.folder, "talk.json"), "utf8"))).toMatchObject({ title: "show KAY-1" });
  expect(statSync(join(ann.folder, "talk.md")).mode & 0o777).toBe(0o600);
  expect(await answers(ann, "/export", "/rename x")).toContain("error: There is nothing to export yet.\n");
});

test("kay sessions export prints Markdown or JSON, or writes a file, without anything that looks like a secret", async () => {
  const ann = kay({ signedIn: true });
  const secret = "ghp_0123456789abcdefghij";
  await answers(ann, `what is ${secret}`, "/rename Secrets");
  const { stdout } = await ann("sessions export Secrets");
  expect(stdout).toContain("# Secrets\n");
  expect(stdout).toContain("what is [redacted]");
  for (const line of ["sessions export latest --format json", "sessions export latest --json"]) {
    const document = parseDocument(await ann(line));
    expect(document).toMatchObject({ title: "Secrets" });
    expect(JSON.stringify(document)).not.toContain(secret);
  }
  writeFileSync(join(ann.folder, "old.md"), "old");
  expect(await ann("sessions export latest -o old.md")).toMatchObject({ exit: 2 });
  expect(readFileSync(join(ann.folder, "old.md"), "utf8")).toBe("old");
  expect(await ann("sessions export latest -o old.md --yes")).toMatchObject({ exit: 0, stdout: "" });
  expect(readFileSync(join(ann.folder, "old.md"), "utf8")).toContain("# Secrets\n");
  expect(await ann("sessions export latest --format pdf")).toMatchObject({ exit: 2 });
  expect(await ann("sessions export latest -o no/such/folder.md")).toMatchObject({ exit: 2 });
});

test("/prompts lists what connected MCP servers offer, and says if there is nothing", {
  timeout: 60_000,
}, async () => {
  const starter = createPrograms({ PATH: process.env.PATH }, process);
  const ann = kay({ own: true, signedIn: true, starter, model: { env: {} } });
  expect(await answers(ann, "/prompts")).toBe("> /prompts\nNo connected MCP server has prompts.\n");
  await ann(["services", "add", "--name", "all", "--yes", "--mcp", "--", ...EVERYTHING, "stdio"]);
  const output = await answers(ann, "/prompts all");
  expect(output).toMatch(/^> \/prompts all\nall\n- `simple-prompt`: Simple Prompt · A prompt with no arguments\n/);
});
