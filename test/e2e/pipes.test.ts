import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { SignIn } from "#client/credentials/credentials";
import { runBash } from "#test/built/bash";
import { type Home, openHome } from "#test/built/home";
import { fakeBackend } from "#test/fake-backend";
import { needs } from "#test/needs";
import { jwt, SIGN_IN } from "#test/refresh";

const LONG = `Line of text, 会議 👩‍💻\n`.repeat(70_000);
const ANSWER = { status: "completed", message: LONG, session_id: "session_1" };
const SESSION = {
  id: "session_1",
  title: "Bugs",
  created_at: "2026-11-27T12:00:00Z",
  updated_at: "2026-11-27T12:00:00Z",
  last_event: 1,
};

/** Opens a home signed in at a backend with long answers. */
async function openSignedIn(signIn: SignIn = SIGN_IN, { readOnly = false } = {}) {
  const backend = await fakeBackend();
  const home = openHome({ KAY_API_URL: backend.url });
  await home.signIn(backend.url, { ...SIGN_IN, ...signIn });
  if (readOnly) makeReadOnly(home);
  backend.always("GET /connections", {
    json: { connections: { jira: { connected: true }, slack: { connected: false } } },
  });
  backend.always("POST /ask", { json: ANSWER });
  const data = Array.from({ length: 30 }, () => SESSION);
  backend.always("GET /sessions?page=1&limit=30", { json: { data, page: 1, limit: 30, total: 30, has_more: false } });
  const obeys = readOnly ? OBEYS.join(" ") : "";
  const bash = (script: string) => runBash(`${obeys} ${script}`, { env: home.env, cwd: home.folder });
  return { backend, home, bash };
}

const LINES = ["connections", "sessions list", "config list", "help", "help json", "--version", "ask hello"];

test("a reader that stops early, or reads nothing, ends kay quietly with exit code 0", async () => {
  const { bash } = await openSignedIn();
  for (const reader of ["head -1", "true"])
    for (const line of [...LINES, "connections --json", "ask --json hello", "ask --json --stream hello"]) {
      const { stdout, stderr } = await bash(`kay ${line} | ${reader} >/dev/null; echo "\${PIPESTATUS[0]}"`);
      expect({ line, reader, stdout, stderr }).toEqual({ line, reader, stdout: "0\n", stderr: "" });
    }
});

test("an answer of 2 MB arrives whole through a slow pipe, as text and as JSON", async () => {
  const { bash } = await openSignedIn();
  expect(Buffer.byteLength(LONG)).toBeGreaterThan(2_000_000);
  expect((await bash("kay ask hello | { sleep 1; cat; }")).stdout).toBe(`${LONG}\n`);
  const { stdout, stderr } = await bash("kay ask --json hello 2>&1 | { sleep 1; cat; }");
  expect([JSON.parse(stdout), stderr]).toEqual([ANSWER, ""]);
});

test("a help page arrives whole through a pipe that another program has filled and that does not block", async () => {
  const { bash } = await openSignedIn();
  const page = (await bash("kay --help")).stdout;
  expect(page.length).toBeGreaterThan(4_096);
  // While it runs, Node makes the pipe non-blocking for everyone who writes to it.
  const fills =
    'process.stdout.write("x".repeat(62_000), () => fs.writeFileSync("full", "")); setInterval(() => {}, 1e3)';
  const isFull = "until [ -e full ]; do sleep 0.1; done";
  const writes = `'${process.execPath}' -e '${fills}' & ${isFull}; kay --help; kill $!`;
  const { stdout } = await bash(`{ ${writes}; } | { ${isFull}; sleep 1; cat; }`);
  expect(stdout).toBe("x".repeat(62_000) + page);
});

test("output that cannot be written is exit code 1 and one line, whatever the command", async () => {
  const { bash } = await openSignedIn();
  for (const line of [...LINES, "connections --json"])
    expect({ line, ...(await bash(`kay ${line} > /dev/full`)) }).toEqual({
      line,
      exit: 1,
      stdout: "",
      stderr: "✗ The output could not be written (ENOSPC).\n",
    });
  expect(await bash("kay connections --jsn > /dev/full")).toMatchObject({ exit: 2, stdout: "" });
  expect(await bash("kay connections 2> /dev/full")).toMatchObject({ exit: 0, stderr: "" });
});

test("closed streams work like /dev/null", async () => {
  const { bash } = await openSignedIn();
  for (const closed of ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    expect({ closed, ...(await bash(`kay connections ${closed} >/dev/null`)) }).toEqual({
      closed,
      exit: 0,
      stdout: "",
      stderr: "",
    });
  expect(await bash("kay conections 2>&-")).toMatchObject({ exit: 2, stdout: "" });
});

/** Root may write everywhere, so it drops that privilege. */
const isRoot = process.getuid?.() === 0;
const OBEYS = isRoot ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];

needs(...OBEYS.slice(0, 1))(
  "a settings folder that cannot be written: what only reads works, what would write says so before anything is done",
  async () => {
    const { backend, bash } = await openSignedIn({}, { readOnly: true });
    expect(await bash("kay connections")).toMatchObject({
      exit: 0,
      stdout: "jira\tconnected\t\t\nslack\tnot connected\t\t\n",
    });
    expect(await bash("kay config list")).toMatchObject({ exit: 0 });
    for (const line of ["connect slack", "connect slack --no-wait", "config set model offline"]) {
      const { exit, stdout, stderr } = await bash(`kay ${line} --json`);
      expect({ line, exit, code: JSON.parse(stdout).code }).toEqual({ line, exit: 1, code: "STORE_UNREADABLE" });
      expect(stderr).toMatch(CANNOT_WRITE);
    }
    expect(backend.calls()).toEqual(["GET /connections"]);
  },
);

needs(...OBEYS.slice(0, 1))("a refresh token is not spent where its successor could not be kept", async () => {
  const { backend, bash } = await openSignedIn({ ...SIGN_IN, token: jwt(Date.now() - 3_600_000) }, { readOnly: true });
  expect(await bash("kay connections")).toMatchObject({
    exit: 1,
    stdout: "",
    stderr: expect.stringMatching(CANNOT_WRITE),
  });
  expect(backend.calls()).toEqual([]);
});

const CANNOT_WRITE = /^✗ Could not write \S+ \((EACCES|EROFS)\).*\n/;

function makeReadOnly({ config }: Home): void {
  const folders = [config, join(config, "credentials")];
  for (const folder of folders) chmodSync(folder, 0o500);
  onTestFinished(() => {
    for (const folder of folders) chmodSync(folder, 0o700);
  });
}

test("B235 in a deleted folder, commands work, and names in it are not found", async () => {
  const { bash } = await openSignedIn();
  const deletedFolder = 'mkdir d; cd d; rmdir "$PWD";';
  for (const line of ["connections", "help json", "--version", "config list", "sessions list"])
    expect(await bash(`${deletedFolder} kay ${line} >/dev/null; echo $?`)).toMatchObject({
      stdout: "0\n",
      // The shell reports its missing folder.
      stderr: expect.not.stringMatching(/kay|✗|Error/),
    });
  expect(await bash(`${deletedFolder} kay ask --file notes.md hello; echo $?`)).toMatchObject({
    stdout: "2\n",
    stderr: expect.stringMatching(/✗ File not found: "notes.md"\./),
  });
});
