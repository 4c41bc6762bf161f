import { expect, test } from "vitest";
import { type Home, openHome } from "#test/built/home";
import { useModel } from "#test/built/model";
import { until } from "#test/built/processes";
import { connect } from "#test/built/serve";
import { openShell, type Shell } from "#test/built/terminal";

const model = useModel();

/** A user with a local backend, whose model answers when the gate opens. */
async function atWork() {
  const home = openHome(model.env());
  home.hasDatabase();
  await connect(home, "jira");
  const gate = Promise.withResolvers<void>();
  model.script({ text: ["One.\n\n", "Two."], meanwhile: gate.promise });
  const shell = await openShell({ columns: 80, rows: 24, env: home.env, cwd: home.folder });
  return { home, shell, open: gate.resolve };
}

async function sees(shell: Shell, text: string): Promise<void> {
  await until(() => shell.screen().join("\n").includes(text), `The window never showed ${text}`, 30_000);
}

/** The newest conversation, once it has ended. */
async function waitForEnd(home: Home): Promise<string> {
  await until(
    async () => {
      const { stdout } = await home.run(["sessions", "list", "--json"], { limitMs: 60_000 });
      const { status } = JSON.parse(stdout).data[0];
      return ["completed", "cancelled", "error"].includes(status);
    },
    "The request never ended.",
    60_000,
  );
  return (await home.run(["sessions", "show", "latest"], { limitMs: 60_000 })).stdout;
}

/** Longer than a local backend waits for a client that vanished, in ms. */
const LEFT_MS = 4_000;

test.for([
  ["a session", "kay"],
  ["a one-shot request", "kay ask count"],
] as const)("N61 a closed terminal leaves %s running", { timeout: 120_000 }, async ([, line]) => {
  const { home, shell, open } = await atWork();
  shell.enter(line);
  if (line === "kay") {
    await sees(shell, "● jira");
    shell.type("count\r");
  }
  await sees(shell, "One.");
  // The kernel hangs up whatever is in the foreground of a terminal whose first process is gone.
  process.kill(shell.pid, "SIGKILL");
  await new Promise((resolve) => setTimeout(resolve, LEFT_MS));
  open();
  expect(await waitForEnd(home)).toContain("Two.");
});

test("/detach and --background leave a request running, and kay attach follows it to its end", {
  timeout: 120_000,
}, async () => {
  const { home, shell, open } = await atWork();
  shell.enter("kay");
  await sees(shell, "● jira");
  shell.type("count\r");
  await sees(shell, "One.");
  shell.type("/detach\r");
  expect(await shell.exit(30_000)).toBe(0);
  const [, attach = ""] = /Come back with `(kay attach [0-9a-f]{6})`/.exec(shell.text().replaceAll("\n", " ")) ?? [];
  const [, ...words] = attach.split(" ");
  const follower = home.start(words);
  await follower.says(/One\./, 30_000);
  open();
  expect((await follower.ended).stdout).toContain("Two.");
  const second = Promise.withResolvers<void>();
  model.script({ text: ["Three.", " Four."], meanwhile: second.promise });
  const begun = await home.run(["ask", "--background", "count on"], { limitMs: 60_000 });
  expect(begun).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^session_\w+\n$/) });
  second.resolve();
  expect(await waitForEnd(home)).toContain("Three. Four.");
});

test("N35 serve --stop leaves a busy backend alone, and --force stops it; the request continues at the next start", {
  timeout: 120_000,
}, async () => {
  const { home, shell, open } = await atWork();
  shell.enter("kay ask --background count");
  await sees(shell, "kay attach");
  await until(() => model.prompts.length > 0, "The model was never asked.", 30_000);
  const refused = await home.run(["serve", "--stop"], { limitMs: 60_000 });
  expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining("`kay serve --stop --force`") });
  expect(await home.run(["serve", "--stop", "--force"], { limitMs: 60_000 })).toMatchObject({
    exit: 0,
    stdout: "Stopped the local backend.\n",
  });
  model.script({ text: ["One.\n\n", "Two."] });
  open();
  expect(await waitForEnd(home)).toContain("Two.");
});
