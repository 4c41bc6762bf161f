import { expect, test } from "vitest";
import { formatTunnel } from "#cli/consent/open-links";
import type { FakeTerminal } from "#test/fake-terminal";
import { type Machine, parseDocument, type RunSetting, useKay } from "#test/kay";
import { asksFor, linkTo } from "#test/links";

const kay = useKay();
const CONNECTED = "Connected jira as Dana Demo (dana@example.com) at http://127.0.0.1:4010/sites/kay-demo\n";
const NEVER_ASKED = ["POST /connections/connect"];

const INSECURE = "is not an https:// URL";
const ODD = "has characters that URLs do not have";
const NAMED = "has a user name or password before its host";

test.for([
  ["javascript:alert(1)", INSECURE],
  ["file:///etc/passwd", INSECURE],
  ["http://accounts.example.test/authorize", INSECURE],
  ["https://accounts.example.test/a b", ODD],
  ["https://accounts.example.test/\u001b]52;c;eA==\u0007", ODD],
  ["https://accounts.example.test/\u202egnp", ODD],
  ["https://kay:secret@accounts.example.test/", NAMED],
  ["https://github.com@accounts.example.test/", NAMED],
  ["not a url", INSECURE],
])("an unsafe link is neither shown nor opened: %s", async ([authorization_url = "", reason]) => {
  const ann = kay({ env: { DISPLAY: ":0" }, programs: ["xdg-open"] });
  const answer = { json: { service: "jira", session_id: "kaysession_1", authorization_url, state: "s" } };
  ann.place.network.on("POST /connections/connect", answer, answer);
  const refused = {
    exit: 2,
    stdout: "",
    stderr: `✗ Refusing to open the link for jira: it ${reason}.\n  Check that the URL points to a kay backend: \`kay config get api-url\`.\n`,
  };
  expect(await ann("connect jira")).toEqual(refused);
  expect(await ann("connect jira --no-wait")).toEqual(refused);
  expect(ann.launched).toEqual([]);
  await expect.poll(() => ann.stored()).toEqual({});
});

test.for([
  ["40123", "https://accounts.example.test", true],
  ["4040", "https://accounts.example.test", false],
  ["40123", "http://127.0.0.1:4010", false],
] as const)(
  "a link of the local backend at port %s for %s warns of another redirect URL: %s",
  async ([port, service, warns]) => {
    const ann = kay({ own: true, person: "stays away" });
    const redirect = encodeURIComponent(`http://127.0.0.1:${port}/auth/callback`);
    const authorization_url = `${service}/authorize?redirect_uri=${redirect}`;
    const answer = { service: "jira", session_id: "kaysession_1", authorization_url, state: "s" };
    ann.place.network.on("POST /connections/connect", { json: answer });
    const { exit, stderr } = await ann("connect jira --no-wait");
    expect(exit).toBe(0);
    const warning =
      "! The redirect URL is http://127.0.0.1:40123/auth/callback, because another program uses port 4040. If accounts.example.test refuses it, stop that program, run `kay serve --stop`, and connect again.";
    expect(stderr.includes(warning)).toBe(warns);
  },
);

test("the command that finishes a link stays one command, whatever the backend calls its state", async () => {
  const ann = kay({ person: "stays away" });
  const authorization_url = "https://accounts.example.test/authorize";
  const answer = { service: "jira", session_id: "kaysession_1", authorization_url, state: "a'; rm -rf ~ #" };
  ann.place.network.on("POST /connections/connect", { json: answer });
  expect((await ann("connect jira --no-wait")).stdout).toBe("kay connect jira --poll 'a'\\''; rm -rf ~ #'\n");
});

test("A21 without a display, the whole link is alone on one line before polling starts", async () => {
  const env = { SSH_CONNECTION: "10.0.0.1 5 10.0.0.2 22", PATH: "/nonexistent" };
  const ann = kay({ env });
  let screen = "";
  ann.place.network.on("GET /auth/status/", () => {
    screen = ann.raw().stderr;
    return "pass";
  });
  expect(await ann("connect jira", { terminal: true, columns: 40 })).toEqual({
    exit: 0,
    stdout: "Connected jira as Dana Demo\n(dana@example.com) at\nhttp://127.0.0.1:4010/sites/kay-demo\n",
    stderr: expect.stringContaining("No browser is opened over SSH. Open the\nlink manually.\n"),
  });
  const lines = screen.split("\n");
  expect(
    lines.filter((line) => /^http:\/\/127\.0\.0\.1:4010\/authorize\?[\x21-\x7e]*&state=[0-9a-f]{64}$/.test(line)),
  ).toHaveLength(1);
});

test("A22 over SSH no opener is started, even if there is one", async () => {
  const ann = kay({ env: { SSH_TTY: "/dev/pts/3" }, programs: ["xdg-open"] });
  expect((await ann("connect jira", { terminal: true })).exit).toBe(0);
  expect(ann.launched).toEqual([]);
});

test("the link is opened by the desktop's opener, as one argument", async () => {
  const ann = kay({ env: { DISPLAY: ":0" }, programs: ["xdg-open"] });
  expect(await ann("connect jira")).toEqual({
    exit: 0,
    stdout: CONNECTED,
    stderr: `${linkTo("jira")}Waiting for authorization in your browser (10 minutes left)…\n`,
  });
  expect(ann.launched).toEqual([
    {
      command: "/usr/bin/xdg-open",
      args: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:4010\/authorize\?.*&state=/)],
    },
  ]);
});

test.for([
  ["connect jira --no-browser", { DISPLAY: ":0" }, "Not opening a browser (--no-browser)."],
  ["connect jira", { DISPLAY: ":0", BROWSER: "none" }, "Not opening a browser (BROWSER=none)."],
  ["connect jira", { DISPLAY: ":0", CI: "true" }, "No browser is opened in CI."],
] as const)("%s with %o opens nothing and says why", async ([line, env, reason]) => {
  const ann = kay({ env, programs: ["xdg-open"] });
  expect(await ann(line)).toEqual({ exit: 0, stdout: CONNECTED, stderr: asksFor("jira", reason) });
  expect(ann.launched).toEqual([]);
});

const SSH = { SSH_CONNECTION: "192.0.2.7 50122 192.0.2.9 22", USER: "ann" };

test.for<[string, Record<string, string>, string]>([
  ["connect jira", SSH, "ssh -N -L 4010:127.0.0.1:4010 -L 4000:127.0.0.1:4000 ann@192.0.2.9"],
  ["connect jira --no-wait", SSH, "ssh -N -L 4010:127.0.0.1:4010 -L 4000:127.0.0.1:4000 ann@192.0.2.9"],
  ["connect jira --no-browser", { ...SSH, SSH_CONNECTION: "::1 1 2001:db8::2 2222" }, "-p 2222 ann@2001:db8::2"],
  ["connect jira", { SSH_TTY: "/dev/pts/1" }, "-L 4000:127.0.0.1:4000 <this-machine>"],
  ["connect jira", { SSH_CONNECTION: "192.0.2.7 1 $(reboot) 22" }, "-L 4000:127.0.0.1:4000 <this-machine>"],
  ["connect jira", { ...SSH, USER: "a b" }, "'a b'@192.0.2.9"],
])("N22 over SSH %s with %o says how the link reaches this machine", async ([line, env, command]) => {
  const { exit, stderr } = await kay({ env })(line);
  expect(exit).toBe(0);
  expect(stderr).toContain(
    "The link leads to this machine. Run this on your own machine first, and keep it running:\n  `ssh -N -L 4010",
  );
  expect(stderr).toContain(`${command}\``);
});

test("N22 over SSH several links need one command, and a link to a hosted backend needs none", async () => {
  const { stderr } = await kay({ signedIn: true, env: SSH })("connect confluence bitbucket");
  expect(stderr.match(/ssh -N/g)).toHaveLength(1);
  expect(stderr).toContain(
    "`ssh -N -L 4010:127.0.0.1:4010 -L 4000:127.0.0.1:4000 -L 4011:127.0.0.1:4011 ann@192.0.2.9`",
  );
  const hosted = "https://auth.example.test/?redirect_uri=https%3A%2F%2Fkay.example.test%2Fauth%2Fcallback";
  expect(formatTunnel([hosted], SSH)).toBe(null);
  expect(formatTunnel(["http://127.0.0.1:4010/"], {})).toBe(null);
});

test("A28 Ctrl+C while it waits exits with 130 and leaves stored data unchanged", async () => {
  const ann = kay({ signedIn: true, person: "stays away" });
  await ann("whoami");
  const oldSignIn = await ann.stored();
  ann.place.network.seen.length = 0;
  ann.place.network.on("GET /auth/status/", "pass", () => {
    ann.interrupt();
    return "pass";
  });
  expect(await ann("connect bitbucket", { terminal: true })).toEqual({
    exit: 130,
    stdout: "",
    stderr: expect.stringMatching(/Open the link manually\.\n$/),
  });
  expect(ann.raw().stderr.endsWith("\r\u001b[2K")).toBe(true);
  expect(await ann.stored()).toEqual(oldSignIn);
  expect(ann.place.network.calls()).toEqual([
    "GET /connections",
    ...NEVER_ASKED,
    "GET /auth/status/…",
    "GET /auth/status/…",
  ]);
});

test("A28 Ctrl+C as a key has the effect of the signal", async () => {
  const ann = kay({ person: "stays away" });
  expect((await ann("connect jira", { terminal: true, presses: ["\x03"] })).exit).toBe(130);
  // The run ends on a virtual clock, which is faster than the disk.
  await expect.poll(() => ann.stored()).toEqual({});
});

test("while it waits, the line shows the time left, and o, c and q work", async () => {
  const ann = kay({ env: { DISPLAY: ":0", NO_COLOR: "1" }, programs: ["xdg-open"] });
  const late = { person: async (url: string) => ann.place.clock.sleep(4_000).then(() => ann.place.consent(url)) };
  const { exit, stderr } = await ann("connect jira", {
    terminal: true,
    columns: 100,
    presses: ["o", "c", "q", "x"],
    ...late,
  });
  expect(exit).toBe(0);
  expect(ann.launched).toHaveLength(2);
  const { stderr: raw } = ann.raw();
  const url = /^http\S+$/m.exec(raw)?.[0] ?? "";
  expect(raw).toContain(`\u001b]52;c;${Buffer.from(url).toString("base64")}\u0007`);
  expect(raw).toContain("\r\u001b[2KWaiting for authorization… 9:59 left · o open  c copy  q QR  esc cancel");
  expect(stderr).toContain("Copied the link (if your terminal supports it).\n");
  expect(stderr).toContain(
    "A phone cannot use this link: it leads back to this machine. Press c to copy it instead.\n",
  );
});

test("other output appears above the waiting line", async () => {
  const ann = kay({ env: { NO_COLOR: "1" } });
  ann.place.network.on("GET /auth/status/", { status: 502, text: "<html><h1>502</h1></html>" });
  const { exit, stderr } = await ann("connect jira", { terminal: true });
  expect([exit, stderr]).toEqual([
    0,
    `${linkTo("jira")}There is no display to open a browser on. Open the link manually.\n`,
  ]);
  expect(ann.raw().stderr).toContain(" left · no answer, retrying");
});

test("connect --json keeps stdout to one document, and the link on stderr", async () => {
  const ann = kay();
  const { exit, stdout, stderr } = await ann("connect jira --json");
  expect({ exit, document: parseDocument({ stdout }), stderr }).toEqual({
    exit: 0,
    document: expect.objectContaining({
      service: "jira",
      connected: true,
      user: expect.anything(),
      metadata: expect.anything(),
    }),
    stderr: linkTo("jira"),
  });
});

const ELSEWHERE = "https://auth.example.test";

/**
 * Connects over SSH: the browser is on another machine, so the user pastes the address that it cannot open, changed by
 * `pastes`.
 */
async function pasteAddress(
  ann: Machine,
  line: string,
  pastes: (address: string) => string[],
  setting: RunSetting = {},
) {
  const clock = ann.place.clock;
  let terminal: FakeTerminal | undefined;
  const input = Promise.withResolvers<string>();
  const person = async (url: string) => {
    await clock.sleep(2_000);
    const consent = { authorization_url: url.replace(ELSEWHERE, "http://127.0.0.1:4010"), decision: "allow" };
    const { redirect_url } = await ann.place.control("atlassian", "POST /consent", consent);
    for (const text of pastes(String(redirect_url))) {
      input.resolve(text);
      terminal?.type(text);
      await clock.sleep(1_000);
    }
  };
  const onOpen = (opened: FakeTerminal) => {
    terminal = opened;
  };
  const env = { ...SSH, NO_COLOR: "1", ...setting.env };
  return ann(line, { terminal: true, columns: 200, types: [input.promise], ...setting, env, person, at: onOpen });
}

test.for<[string, (address: string) => string[]]>([
  ["whole", (address) => [address]],
  ["with Enter", (address) => [`${address}\r`]],
  ["as the terminal marks it", (address) => [`\x1b[200~${address}\x1b[201~`]],
  ["broken over lines, with spaces", (address) => [` ${address.slice(0, 50)}\r\n  ${address.slice(50)} \r`]],
  ["in quotes", (address) => [`"${address}"`]],
  ["without http://, as some browsers show it", (address) => [address.replace("http://", "")]],
  ["with https://, as strict browsers make it", (address) => [address.replace("http://", "https://")]],
  ["with localhost and a fragment", (address) => [`${address.replace("127.0.0.1", "localhost")}#_=_`]],
])("N22 the address that the browser could not open is pasted: %s", async ([, pastes]) => {
  const { exit, stdout, stderr } = await pasteAddress(kay({ env: SSH }), "connect jira", pastes);
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: CONNECTED });
  expect(stderr).toContain("Address accepted.\n");
});

test("N22 the address is pasted as a line where nothing is redrawn, for a link that works elsewhere", async () => {
  const setting = { env: { TERM: "dumb" } };
  const ann = kay({ env: SSH });
  ann.place.network.on("POST /connections/connect", async ({ headers, body }) => {
    const answer = await ann.place.backend.fetch(
      new Request("http://127.0.0.1:4000/connections/connect?service=jira", {
        ...{ method: "POST", headers, body: JSON.stringify(body) },
      }),
    );
    const begun = (await answer.json()) as { authorization_url: string };
    return {
      json: { ...begun, authorization_url: begun.authorization_url.replace("http://127.0.0.1:4010", ELSEWHERE) },
    };
  });
  const { exit, stderr } = await pasteAddress(ann, "connect jira", (address) => [address], setting);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining("Address accepted.\n") });
});

test("N22 a wrong paste is refused with a sentence, sends nothing, and a right one still counts", async () => {
  const ann = kay({ env: SSH });
  const other = "0".repeat(64);
  const { exit, stderr } = await pasteAddress(ann, "connect jira", (address) => [
    "4/0AX4XfWh-code-only".repeat(20),
    "https://example.test/auth/callback?code=1&state=2",
    address.replace(":4000", ":4001"),
    address.replace("/auth/callback", "/auth/undo"),
    address.replace(/state=\w+/, `state=${other}`),
    `${address}&state=${other}`,
    address.replace(/code=[^&]*&?/, ""),
    "x".repeat(100_000),
    address,
  ]);
  const start = "http://127.0.0.1:4000/auth/callback";
  expect(stderr.split("\n").filter((text) => /^✗|^Address/.test(text))).toEqual([
    `✗ That is not an address. Paste the full address, which begins with ${start}`,
    `✗ https://example.test/auth/callback is another address. Paste the one that begins with ${start}`,
    `✗ http://127.0.0.1:4001/auth/callback is another address. Paste the one that begins with ${start}`,
    `✗ http://127.0.0.1:4000/auth/undo is another address. Paste the one that begins with ${start}`,
    "✗ That address belongs to another attempt. Open the link above, and paste the address that it leads to.",
    "✗ That address belongs to another attempt. Open the link above, and paste the address that it leads to.",
    "✗ That address is incomplete: it has no code. Copy all of it.",
    `✗ That is not an address. Paste the full address, which begins with ${start}`,
    "Address accepted.",
  ]);
  expect(exit).toBe(0);
  expect(ann.place.network.calls().filter((call) => call.startsWith("GET /auth/callback"))).toHaveLength(1);
});

test("N22 the way to paste is said for a link that works on another machine, where a person can be asked", async () => {
  const authorization_url = `https://auth.example.test/?redirect_uri=${encodeURIComponent("http://127.0.0.1:4000/auth/callback")}`;
  const begun = { json: { service: "jira", session_id: "kaysession_1", authorization_url, state: "s" } };
  const ann = kay({ person: "stays away", env: SSH });
  ann.place.network.on("POST /connections/connect", begun, begun);
  ann.place.network.always("GET /auth/status/", "hang");
  const result = await ann("connect jira", { terminal: true, columns: 200, presses: ["\x1b"] });
  expect(result.exit).toBe(130);
  expect(result.stderr).toContain(
    "After you allow it, a browser on another machine cannot open http://127.0.0.1:4000. Then paste the address of that page here.\n",
  );
  expect((await ann("connect jira --no-wait")).stderr).not.toContain("paste");
});
