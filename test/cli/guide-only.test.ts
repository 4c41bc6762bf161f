import { expect, test } from "vitest";
import { type GuideBackend, guideBackend, type LaterStatus } from "#test/guide-backend";
import { type Machine, type MachineOptions, parseDocument, useKay } from "#test/kay";
import { BACKEND } from "#test/network";

// kay against a backend that has only what the integration guide has.

const kay = useKay();
const CONNECTED = "Connected jira as John Doe (john@example.com) at https://example.atlassian.net\n";

function guideOnly(later?: LaterStatus, options: MachineOptions = {}): { ann: Machine; backend: GuideBackend } {
  let backend: GuideBackend | undefined;
  const ann = kay({ ...options, person: async (url) => backend?.consent(url) });
  backend = guideBackend(ann.place.clock, later);
  ann.place.network.serve(BACKEND, backend.fetch);
  return { ann, backend };
}

test("a first connection to a guide-only backend signs in", async () => {
  const { ann } = guideOnly();
  expect(await ann("connect jira")).toMatchObject({ exit: 0, stdout: CONNECTED });
  expect(await ann.stored()).toMatchObject({
    session_id: expect.stringMatching(/^kaysession_/),
    token: expect.any(String),
    refresh_token: expect.any(String),
    account_id: "557058:abc123-def456-ghi789",
  });
});

test.each<LaterStatus>(["unknown", "pending"])(
  "a later connection is found in the connections of a guide-only backend whose status call says %s",
  async (later) => {
    const { ann } = guideOnly(later);
    await ann("connect jira");
    const oldSignIn = await ann.stored();
    expect(await ann("connect confluence")).toMatchObject({
      exit: 0,
      stdout: CONNECTED.replace("jira", "confluence"),
    });
    expect(await ann.stored()).toMatchObject({ token: oldSignIn.token, refresh_token: oldSignIn.refresh_token });
  },
);

test("an existing connection can be renewed at a guide-only backend", async () => {
  const { ann } = guideOnly();
  await ann("connect jira");
  expect(await ann("connect jira")).toMatchObject({ exit: 0, stdout: CONNECTED });
});

test("connections of a guide-only backend are shown as it returns them", async () => {
  const { ann } = guideOnly();
  await ann("connect jira");
  const jira = {
    connected: true,
    user: { account_id: "557058:abc123-def456-ghi789", name: "John Doe", email: "john@example.com" },
    metadata: { url: "https://example.atlassian.net" },
  };
  const off = { connected: false };
  expect(parseDocument(await ann("connections --json"))).toEqual({
    connections: { jira, confluence: off, bitbucket: off, kyg: off },
  });
  expect((await ann("connections --check jira")).exit).toBe(0);
  expect((await ann("connections --check kyg")).exit).toBe(4);
});

test("requests and confirmations work at a guide-only backend", async () => {
  const { ann } = guideOnly();
  await ann("connect jira");
  expect(await ann('ask "What can you help me with?"')).toEqual({
    exit: 0,
    stdout: "You said: What can you help me with?\n",
    stderr: "",
  });
  const plan = await ann('ask --confirm --json "Delete all tickets in project PROJ"');
  const { confirmation_token: token } = JSON.parse(ann.raw().stdout);
  expect(plan.exit).toBe(8);
  expect(await ann(`confirm ${token} --approve`)).toMatchObject({
    exit: 0,
    stdout: "Action confirmed and executed successfully\n",
  });
  const secondResult = await ann(`confirm ${token} --approve`);
  expect([secondResult.exit === 0, secondResult.stdout]).toEqual([false, ""]);
  expect(secondResult.stderr).toContain("Invalid or expired confirmation_token");
});

test("a denial reaches a guide-only backend", async () => {
  const { ann } = guideOnly();
  await ann("connect jira");
  await ann('ask --confirm --json "Delete all tickets in project PROJ"');
  const { confirmation_token: token } = JSON.parse(ann.raw().stdout);
  expect(await ann(`confirm ${token} --deny`)).toMatchObject({ exit: 0, stdout: "Action cancelled by user\n" });
});

test("a guide-only backend without a model says so in its own words", async () => {
  const { ann, backend } = guideOnly();
  await ann("connect jira");
  backend.loseModel();
  const { exit, stdout, stderr } = await ann("ask hello");
  expect({ exit, stdout, said: stderr.split("\n")[0] }).toEqual({
    exit: 1,
    stdout: "",
    said: "✗ OpenAI API key is not configured",
  });
});

test("an expired token is refreshed at a guide-only backend, and the new pair is kept", async () => {
  const { ann } = guideOnly();
  await ann("connect jira");
  const oldSignIn = await ann.stored();
  ann.place.clock.advance(31 * 60_000);
  expect((await ann("connections --check jira")).exit).toBe(0);
  const after = await ann.stored();
  expect(after.token).not.toBe(oldSignIn.token);
  expect(after.refresh_token).not.toBe(oldSignIn.refresh_token);
  expect(after.session_id).toBe(oldSignIn.session_id);
});

test("after a logout at a guide-only backend the session is kept and a connection signs in again", async () => {
  const { ann } = guideOnly();
  await ann("connect jira");
  const { session_id } = await ann.stored();
  expect(await ann("logout")).toMatchObject({ exit: 0, stdout: "Signed out.\n" });
  expect(await ann.stored()).toEqual({ session_id });
  expect(await ann("connections")).toMatchObject({ exit: 0, stdout: expect.stringContaining("not connected") });
  expect(await ann("connect jira")).toMatchObject({ exit: 0, stdout: CONNECTED });
  expect(await ann.stored()).toMatchObject({ session_id, token: expect.any(String) });
});

test("disconnect works at a guide-only backend", async () => {
  const { ann } = guideOnly();
  await ann("connect jira");
  expect(await ann("disconnect jira --yes")).toMatchObject({ exit: 0, stdout: "Disconnected jira.\n" });
  expect((await ann("connections --check jira")).exit).toBe(4);
});

test("a guide-only backend that lost its database is connected again", async () => {
  const { ann, backend } = guideOnly();
  await ann("connect jira");
  const { session_id } = await ann.stored();
  backend.forget();
  expect((await ann("connections")).exit).toBe(4);
  const { exit, stdout } = await ann("connect jira");
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: CONNECTED });
  expect((await ann.stored()).session_id).not.toBe(session_id);
});

test("a request whose answer is lost is not sent again to a guide-only backend", async () => {
  const { ann } = guideOnly();
  await ann("connect jira");
  ann.place.network.seen.length = 0;
  ann.place.network.on("POST /ask", "lost");
  const { exit, stderr } = await ann('ask "close KAY-3"');
  expect({ exit, asks: ann.place.network.calls().filter((call) => call === "POST /ask").length }).toEqual({
    exit: 1,
    asks: 1,
  });
  expect(stderr).toContain("the request may have been processed");
});
