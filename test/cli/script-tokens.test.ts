import { expect, test } from "vitest";
import { type Machine, parseDocument, useKay } from "#test/kay";

const kay = useKay();

const DAY_MS = 24 * 60 * 60_000;
const TOKEN = /^kayt_[0-9a-f]{16}_[0-9a-f]{48}\n$/;
const CREATE_HINT = "Create a token with `kay token create` in a signed-in terminal, and set KAY_TOKEN to it.";
const REFUSED = {
  exit: 4,
  stdout: "",
  stderr:
    "✗ A script token cannot do this; it requires a sign-in.\n  Unset KAY_TOKEN, and run the command in a signed-in terminal.\n",
};

/** Creates a token on a signed-in machine, and the machine of a CI job that has only this token. */
async function createJob(options = ""): Promise<{ ann: Machine; job: Machine; token: string }> {
  const ann = kay({ signedIn: true });
  await ann(`token create ci ${options}`);
  const token = ann.raw().stdout.trim();
  return { ann, token, job: kay({ beside: ann, env: { KAY_TOKEN: token, CI: "true" } }) };
}

test("token create prints the token alone on stdout, and when it ends on stderr", async () => {
  const ann = kay({ signedIn: true });
  const { exit, stdout, stderr } = await ann("token create ci");
  expect({ exit, stdout, stderr }).toEqual({
    exit: 0,
    stdout: expect.stringMatching(TOKEN),
    stderr:
      "The token is valid until 2027-02-25. kay does not show it again.\nSet it as KAY_TOKEN, and KAY_API_URL to http://127.0.0.1:4000.\n",
  });
  await ann("token create nightly --expires 30d --json");
  expect(JSON.parse(ann.raw().stdout)).toMatchObject({
    name: "nightly",
    expires_at: expect.stringMatching(/^2026-12-27T/),
    token: expect.stringMatching(/^kayt_/),
  });
  expect(JSON.stringify(await ann.stored())).not.toContain("kayt_");
});

test.for(["0d", "367d", "12h", "1.5d", "soon", "90"])("a lifetime of %s is refused", async (lifetime) => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  ann.place.network.seen.length = 0;
  expect(await ann(`token create ci --expires ${lifetime}`)).toEqual({
    exit: 2,
    stdout: "",
    stderr: `✗ Invalid lifetime "${lifetime}" for --expires.\n  Use whole days from 1d to 366d, such as 90d.\n`,
  });
  expect(ann.place.network.calls()).toEqual([]);
});

test("token list shows names, days and uses, never secrets", async () => {
  const { ann, job, token } = await createJob("--expires 2d");
  const id = token.split("_")[1]?.slice(0, 6);
  expect(await ann("token list")).toEqual({
    exit: 0,
    stdout: `${id}\tci\t2026-11-27\t2026-11-29\tnever\n`,
    stderr: "",
  });
  await job("whoami");
  ann.place.clock.advance(2 * DAY_MS);
  expect((await ann("token list")).stdout).toBe(`${id}\tci\t2026-11-27\t2026-11-29 (expired)\t2026-11-27\n`);
  await ann("token revoke ci --yes");
  expect(await ann("token list")).toEqual({ exit: 0, stdout: "", stderr: "No tokens.\n" });
});

test("a job asks, calls tools, approves once and confirms with a token that outlives its sign-in", async () => {
  const { ann, job, token } = await createJob();
  ann.place.clock.advance(31 * DAY_MS);
  ann.place.network.seen.length = 0;
  expect(await job('ask "show KAY-3"')).toMatchObject({ exit: 0 });
  expect(await job("tools call jira.get_issue --field issue=KAY-3 --json")).toMatchObject({ exit: 0 });
  expect(await job('ask --allow jira.transition_issue:KAY "close KAY-3"')).toMatchObject({ exit: 0 });
  expect(await job('ask --json "close KAY-4"')).toMatchObject({ exit: 8 });
  const { pending } = JSON.parse(job.raw().stdout) as { pending: { id: string; answer: string[] }[] };
  expect(pending[0]?.answer).toEqual([`kay answer ${pending[0]?.id} --approve`, `kay answer ${pending[0]?.id} --deny`]);
  expect(await job(`answer ${pending[0]?.id} --approve --scope always`)).toEqual({
    exit: 4,
    stdout: "",
    stderr: "✗ A script token can approve only once.\n  Approve once, or answer in a signed-in terminal.\n",
  });
  expect(await job(`answer ${pending[0]?.id} --approve`)).toMatchObject({ exit: 0 });
  expect(await job('ask --confirm --json "close KAY-5"')).toMatchObject({ exit: 8 });
  const { confirmation_token } = JSON.parse(job.raw().stdout) as { confirmation_token: string };
  expect(await job(`confirm ${confirmation_token} --approve`)).toMatchObject({ exit: 0 });
  const sent = ann.place.network.seen.filter(({ headers }) => headers?.Authorization);
  expect(new Set(sent.map(({ headers }) => headers?.Authorization))).toEqual(new Set([`Bearer ${token}`]));
  expect(ann.place.network.calls()).not.toContain("POST /auth/refresh");
  expect(await job.stored()).toEqual({});
});

test("whoami names the token and its end", async () => {
  const { job } = await createJob();
  expect(await job("whoami")).toMatchObject({
    exit: 0,
    stderr: "Token “ci”, valid until 2027-02-25\nProfile default, backend http://127.0.0.1:4000\n",
  });
  expect(parseDocument(await job("whoami --json"))).toEqual({
    profile: "default",
    backend: "http://127.0.0.1:4000",
    script_token: expect.objectContaining({ name: "ci", expires_at: expect.stringMatching(/^2027-02-25T/) }),
    accounts: { jira: expect.anything() },
  });
});

test.for([
  "token create other",
  "token list",
  "token revoke ci --yes",
  "disconnect jira --yes",
  "policy set jira everything",
  'every 1h "show KAY-3"',
  "pending --link",
])("%s with a script token is refused with the next step", async (line) => {
  const { job } = await createJob();
  expect(await job(line)).toEqual(REFUSED);
});

test("an expired or revoked token exits 4, says which one, and is not sent twice", async () => {
  const { ann, job } = await createJob("--expires 1d");
  ann.place.clock.advance(DAY_MS);
  ann.place.network.seen.length = 0;
  expect(await job('ask "show KAY-3"')).toEqual({
    exit: 4,
    stdout: "",
    stderr: `✗ The script token “ci” expired on 2026-11-28.\n  ${CREATE_HINT}\n`,
  });
  expect(ann.place.network.calls().filter((call) => call === "POST /ask")).toHaveLength(1);
  await ann("token create deploy");
  const other = kay({ beside: ann, env: { KAY_TOKEN: ann.raw().stdout.trim() } });
  expect(await ann("token revoke deploy --yes")).toEqual({
    exit: 0,
    stdout: "Revoked the token “deploy”.\n",
    stderr: "",
  });
  expect(await other("connections --json")).toMatchObject({ exit: 4 });
  expect(JSON.parse(other.raw().stdout)).toMatchObject({
    code: "TOKEN_INVALID",
    message: "The script token “deploy” was revoked.",
    hint: CREATE_HINT,
  });
});

test("token revoke asks first, and finds a token by name or ID", async () => {
  const { ann, token } = await createJob();
  const id = `token_${token.split("_")[1]}`;
  expect(await ann("token revoke ci", { terminal: true, types: ["n"], env: { NO_COLOR: "1" } })).toMatchObject({
    exit: 5,
    stderr: "Revoke the token “ci”? Scripts that use it will fail. [y/N] n\n✗ No token was revoked.\n",
  });
  expect(await ann("token revoke ci")).toMatchObject({ exit: 2 });
  await ann("token create ci");
  expect(await ann("token revoke ci --yes")).toEqual({
    exit: 2,
    stdout: "",
    stderr: '✗ 2 tokens are named "ci".\n  Specify the ID shown by `kay token list`.\n',
  });
  expect(await ann(`token revoke ${id.slice(6, 14)} --yes`)).toMatchObject({ exit: 0 });
  expect(await ann(`token revoke ${id} --yes`)).toMatchObject({
    exit: 1,
    stderr: `✗ No token has the name or ID "${id}".\n  Run \`kay token list\` to list them.\n`,
  });
});

test("logout revokes the user's tokens", async () => {
  const { ann, job } = await createJob();
  expect(await ann("logout")).toMatchObject({ exit: 0 });
  expect(await job("whoami")).toMatchObject({
    exit: 4,
    stderr: `✗ The script token “ci” was revoked.\n  ${CREATE_HINT}\n`,
  });
});

test("a request that is followed breaks off once its token is revoked, and says why", async () => {
  const { ann, token } = await createJob();
  const job = kay({ beside: ann, env: { KAY_TOKEN: token, NO_COLOR: "1", TERM: "dumb" } });
  const { clock, backend } = ann.place;
  const revocation = Promise.withResolvers<void>();
  const waiting = clock.during(revocation.promise);
  const following = job('ask "close KAY-3"', { terminal: true, types: [new Promise<null>(() => {})] });
  await expect.poll(() => job.raw().stderr).toContain("n  deny");
  await ann("token revoke ci --yes");
  clock.advance(10_000);
  await backend.tick();
  revocation.resolve();
  await waiting;
  expect(await following).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(/unknown how much was done\. The script token\s+“ci” was revoked\./),
  });
});

test("the local backend has no tokens, and an older backend says so", async () => {
  const own = kay({ own: true });
  expect(await own("token create ci")).toEqual({
    exit: 2,
    stdout: "",
    stderr:
      "✗ The local backend has no tokens for scripts.\n  Scripts on this machine use your sign-in. For a remote backend, run `kay config set api-url <url>` first.\n",
  });
  expect(own.starts()).toBe(0);
  const ann = kay({ signedIn: true });
  await ann("whoami");
  const missing = { status: 404, json: { error: "NOT_FOUND", code: "NOT_FOUND", message: "Not found." } };
  ann.place.network.always("GET /auth/tokens", missing);
  ann.place.network.always("POST /auth/tokens", missing);
  for (const line of ["token list", "token create ci"])
    expect(await ann(line)).toEqual({
      exit: 1,
      stdout: "",
      stderr: "✗ This backend has no tokens for scripts.\n  Ask its administrator to update it.\n",
    });
});

test("an export of a conversation that contains a token has no secret", async () => {
  const { ann, job, token } = await createJob();
  await job(["ask", `what is ${token}?`]);
  await ann("sessions export latest");
  expect(ann.raw().stdout).toContain("kayt_[redacted]");
  expect(ann.raw().stdout).not.toContain(token.split("_")[2]);
});
