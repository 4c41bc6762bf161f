import { expect, test } from "vitest";
import { type Machine, useKay } from "#test/kay";

const kay = useKay();
const ELSEWHERE = "https://elsewhere.example.test";

/** Creates the machine of a CI job with the token of a signed-in user. */
async function ci(overrides: Record<string, string> = {}): Promise<{ ann: Machine; job: Machine; token: string }> {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  const { token = "" } = await ann.stored();
  ann.place.network.seen.length = 0;
  return { ann, token, job: kay({ beside: ann, env: { KAY_TOKEN: token, ...overrides } }) };
}

test("KAY_TOKEN acts for its owner, and is never stored", async () => {
  const { ann, job, token } = await ci();
  expect(await job("connections --check jira")).toEqual({ exit: 0, stdout: "", stderr: "" });
  expect(await job('ask "show KAY-3"')).toMatchObject({ exit: 0 });
  expect(ann.place.network.seen.map(({ headers }) => headers?.Authorization)).toEqual([
    `Bearer ${token}`,
    `Bearer ${token}`,
  ]);
  expect(await job.stored()).toEqual({});
});

test("KAY_TOKEN is used as it is: an expired one is not refreshed", async () => {
  const { ann, job } = await ci();
  ann.place.clock.advance(31 * 60_000);
  expect(await job("connections")).toEqual({
    exit: 4,
    stdout: "",
    stderr: "✗ The backend rejected the token in KAY_TOKEN.\n  Set KAY_TOKEN to a valid token, or unset it.\n",
  });
  expect(ann.place.network.calls()).toEqual(["GET /connections"]);
});

test("KAY_TOKEN leaves stored data untouched, and stored data is not mixed into its answers", async () => {
  const { ann, token } = await ci();
  const bob = kay({ connected: ["bitbucket"], beside: ann });
  await bob("whoami");
  const oldSignIn = await bob.stored();
  const { stdout } = await bob("whoami --json", { env: { KAY_TOKEN: token } });
  expect(JSON.parse(stdout)).toEqual({
    profile: "default",
    backend: "http://127.0.0.1:4000",
    accounts: { jira: expect.anything() },
  });
  expect(await bob("disconnect jira --yes", { env: { KAY_TOKEN: token } })).toMatchObject({ exit: 0 });
  expect(await bob("connections --check bitbucket")).toMatchObject({ exit: 0 });
  expect(await bob.stored()).toEqual(oldSignIn);
});

test("logout revokes the stored sign-in, not the token of KAY_TOKEN", async () => {
  const { ann, token, job } = await ci();
  const bob = kay({ connected: ["bitbucket"], beside: ann });
  expect(await bob("logout", { env: { KAY_TOKEN: token } })).toMatchObject({ exit: 0, stdout: "Signed out.\n" });
  expect(await job("connections --check jira")).toMatchObject({ exit: 0 });
});

test("connect with KAY_TOKEN set says that the two cannot be combined", async () => {
  const { job } = await ci();
  expect(await job("connect bitbucket")).toEqual({
    exit: 2,
    stdout: "",
    stderr: "✗ Cannot connect services while KAY_TOKEN is set.\n  Unset KAY_TOKEN and try again.\n",
  });
});

test.for(["with space", "line\nbreak", "ü"])(
  "an invalid KAY_TOKEN is refused before anything is sent: %j",
  async (token) => {
    const ann = kay({ env: { KAY_TOKEN: token } });
    expect(await ann("connections")).toEqual({
      exit: 4,
      stdout: "",
      stderr: "✗ The access token contains invalid characters.\n  Check KAY_TOKEN for spaces and line breaks.\n",
    });
    expect(ann.place.network.seen).toEqual([]);
  },
);

test("data stored for one backend is never sent to another", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  const signIn = await ann.stored();
  const heard: string[] = [];
  ann.place.network.serve(ELSEWHERE, async (request) => {
    heard.push(JSON.stringify([request.url, [...request.headers], await request.text()]));
    return Response.json({ error: "INTERNAL", message: "no" }, { status: 500 });
  });
  const env = { KAY_API_URL: ELSEWHERE };
  expect(await ann("whoami", { env })).toMatchObject({ exit: 4 });
  expect(await ann('ask "show KAY-3"', { env })).toMatchObject({ exit: 4 });
  expect(await ann("logout", { env })).toMatchObject({ stdout: "You were not signed in.\n" });
  expect(await ann("connect jira", { env })).toMatchObject({ exit: 1 });
  expect(heard).toHaveLength(1);
  for (const secret of [signIn.session_id, signIn.token, signIn.refresh_token])
    expect(heard.join()).not.toContain(secret);
  expect(await ann.stored()).toEqual(signIn);
  expect(await ann("connections --check jira")).toMatchObject({ exit: 0 });
});

test("profiles separate accounts, by flag and by environment", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann("connections --check jira")).toMatchObject({ exit: 0 });
  expect(await ann("whoami --profile work")).toMatchObject({ exit: 4 });
  expect(await ann("connect bitbucket --profile work")).toMatchObject({ exit: 0 });
  expect((await ann("whoami --json --profile work")).stdout).toContain('"profile": "work"');
  expect((await ann("connections", { env: { KAY_PROFILE: "work" } })).stdout).toMatch(
    /^jira\tnot connected\t.*\n.*\nbitbucket\tconnected/,
  );
  expect((await ann("connections")).stdout).toMatch(/^jira\tconnected\t.*\n.*\nbitbucket\tnot connected/);
  expect((await ann("--profile default connections", { env: { KAY_PROFILE: "work" } })).stdout).toMatch(
    /^jira\tconnected/,
  );
});
