import { expect, test } from "vitest";
import { runProgram } from "#test/built/bash";
import { openHome } from "#test/built/home";
import { openShell } from "#test/built/terminal";
import { fakeBackend } from "#test/fake-backend";
import { jwt } from "#test/refresh";

const HELD = { status: "confirmation_required", message: "Delete all tickets?", confirmation_token: "confirm_1" };
const DONE = { status: "completed", message: "Hello." };

/** Opens a home signed in at a strict backend. */
async function openSignedIn() {
  const backend = await fakeBackend();
  const home = openHome({ KAY_API_URL: backend.url });
  await home.signIn(backend.url, { session_id: "kaysession_1", token: jwt(Date.now()), refresh_token: "R1" });
  // A streamed request has the client, whose ID is new each time.
  const withoutClient = ({ client: _, ...rest }: Record<string, unknown>) => rest;
  const prompts = () =>
    backend.seen
      .filter(({ path }) => path === "/ask")
      .map(({ body }) => withoutClient(body as Record<string, unknown>));
  return { backend, home, prompts };
}

const NOTHING = {
  exit: 2,
  stdout: "",
  stderr: '✗ No prompt given.\n  Pass a question: kay ask "what is open in project KAY?"\n',
};

for (const [name, stdin] of [
  ["/dev/null", undefined],
  ["an empty pipe", ""],
  ["white space", "  \n"],
] as const) {
  test(`C07 kay ask with ${name} on stdin is a usage error, and nothing is sent`, async () => {
    const { home, prompts } = await openSignedIn();
    expect(await home.run(["ask"], { stdin })).toEqual(NOTHING);
    expect(prompts()).toEqual([]);
  });
}

test("C07 kay ask with a closed stdin is a usage error", async () => {
  const { home } = await openSignedIn();
  const { exit, stdout, stderr } = await shell(home.env, home.folder, "kay ask <&-");
  expect({ exit, stdout, stderr }).toEqual(NOTHING);
});

test("C07 a byte order mark and line ends around piped text are not part of the prompt", async () => {
  const { backend, home, prompts } = await openSignedIn();
  backend.on("POST /ask", { json: DONE });
  expect(await home.run(["ask"], { stdin: "\ufeffhi\r\n" })).toMatchObject({ exit: 0, stdout: "Hello.\n" });
  expect(prompts()).toEqual([{ prompt: "hi", interactive: false, confirm: false, time_zone: "UTC" }]);
});

test("C07 a pipe that stays open and silent is ignored after 3 s, with a line on stderr", async () => {
  const { backend, home, prompts } = await openSignedIn();
  backend.on("POST /ask", { json: DONE });
  const running = home.start(["ask", "hello"], { stdin: "open" });
  expect(await running.ended).toEqual({
    exit: 0,
    stdout: "Hello.\n",
    stderr: "No input on stdin for 3 s; asking without it (`kay ask -` waits).\n",
  });
  expect(prompts()).toEqual([{ prompt: "hello", interactive: false, confirm: false, time_zone: "UTC" }]);
});

for (const ci of ["CI=true", "CI=1", "GITHUB_ACTIONS=true"]) {
  test(`C08 in a terminal with ${ci} a confirmation is not asked: exit 8 and how to answer`, async () => {
    const { backend, home } = await openSignedIn();
    backend.on("POST /ask", { json: HELD });
    const terminal = await openShell({ columns: 100, rows: 24, env: home.env, cwd: home.folder });
    expect(await terminal.run(`${ci} kay ask --confirm "Delete all"`, 5_000)).toEqual({
      exit: 8,
      shown:
        "Delete all tickets?\nNothing was done yet. Run `kay confirm confirm_1 --approve` within five minutes, or use `--deny`.",
    });
    expect(backend.calls()).toEqual(["POST /ask"]);
  });
}

test("C10 without a terminal a confirmation is neither given nor waited for: exit 8 with its token", async () => {
  const { backend, home } = await openSignedIn();
  backend.on("POST /ask", { json: HELD });
  const piped = await shell(
    home.env,
    home.folder,
    '{ kay ask --confirm --json "Delete all"; echo $? >&2; } </dev/null | cat',
  );
  expect([JSON.parse(piped.stdout), piped.stderr]).toEqual([HELD, "8\n"]);
  expect(backend.calls()).toEqual(["POST /ask"]);
});

test("a reader that goes away ends kay quietly", async () => {
  const { backend, home } = await openSignedIn();
  backend.always("GET /connections", { json: { connections: { jira: { connected: true } } } });
  expect(await shell(home.env, home.folder, "kay help | head -1")).toMatchObject({ exit: 0, stderr: "" });
  expect(await shell(home.env, home.folder, "kay connections | true")).toEqual({ exit: 0, stdout: "", stderr: "" });
});

test("output that cannot be written is a failure, in one line", async () => {
  const { home } = await openSignedIn();
  const says = "✗ The output could not be written (ENOSPC).\n";
  expect(await shell(home.env, home.folder, "kay help > /dev/full")).toEqual({ exit: 1, stdout: "", stderr: says });
  expect((await shell(home.env, home.folder, "kay help nothing 2> /dev/full")).exit).toBe(2);
});

test("long output arrives whole through a slow pipe", async () => {
  const { backend, home } = await openSignedIn();
  const message = "line of text\n".repeat(100_000);
  backend.on("POST /ask", { json: { status: "completed", message } });
  const { stdout } = await shell(home.env, home.folder, "kay ask long | { sleep 1; wc -c; }");
  expect(Number(stdout)).toBe(message.length + 1);
});

/** Runs a line of shell, with pipes and redirections as a user types them. */
const shell = (env: Record<string, string>, cwd: string, line: string) =>
  runProgram("/bin/sh", ["-c", line], { env, cwd });
