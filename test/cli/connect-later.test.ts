import { expect, test } from "vitest";
import { type Machine, parseDocument, useKay } from "#test/kay";
import { linkTo } from "#test/links";

const kay = useKay();
const CONNECTED = "Connected jira as Dana Demo (dana@example.com) at http://127.0.0.1:4010/sites/kay-demo\n";

type BegunConnection = { authorization_url: string; poll: string };

/** Starts without waiting, and returns the full document. */
async function begin(ann: Machine, line = "connect jira --no-wait --json"): Promise<BegunConnection> {
  expect((await ann(line, { person: "stays away" })).exit).toBe(0);
  return parseDocument(ann.raw()) as BegunConnection;
}

const readPoll = ({ poll }: BegunConnection) => poll.replace(/^kay /, "");

test("connect --no-wait --json prints what is needed to finish, and another process finishes it", async () => {
  const ann = kay();
  const begun = await begin(ann);
  expect(begun).toEqual({
    service: "jira",
    session_id: expect.stringMatching(/^kaysession_/),
    authorization_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4010\/authorize\?/),
    state: expect.stringMatching(/^[0-9a-f]{64}$/),
    expires_at: "2026-11-27T12:10:00.000Z",
    poll: expect.stringMatching(/^kay connect jira --poll [0-9a-f]{64}$/),
  });
  await ann.place.consent(begun.authorization_url);
  expect(await ann(readPoll(begun))).toEqual({
    exit: 0,
    stdout: CONNECTED,
    stderr: "Waiting for authorization in your browser (10 minutes left)…\n",
  });
  expect((await ann("connections --check jira")).exit).toBe(0);
});

test("connect --no-wait --json has the code that a shared backend's page shows", async () => {
  const ann = kay();
  const response = {
    service: "jira",
    session_id: "kaysession_1_0123456789abcdef",
    authorization_url: "https://kay.example.com/auth/begin?state=s1",
    state: "s1",
    user_code: "BKDP-XQWT",
  };
  ann.place.network.on("POST /connections/connect", { status: 200, json: response });
  expect(await begin(ann)).toMatchObject({ authorization_url: response.authorization_url, user_code: "BKDP-XQWT" });
});

test("connect --no-wait prints the link for the user, and the command that finishes it on stdout", async () => {
  expect(await kay()("connect jira --no-wait")).toEqual({
    exit: 0,
    stdout: "kay connect jira --poll STATE\n",
    stderr: linkTo("jira"),
  });
});

test("--poll waits for the consent, and ends when the link has expired", async () => {
  const ann = kay();
  const begun = await begin(ann);
  expect(await ann(readPoll(begun))).toEqual({
    exit: 1,
    stdout: "",
    stderr: `Waiting for authorization in your browser (10 minutes left)…
✗ The authorization link has expired (links are valid for 10 minutes).
  Run \`kay connect jira\` again for a fresh link.
`,
  });
});

test("--poll finishes a link once, and only for its own profile", async () => {
  const ann = kay();
  const begun = await begin(ann);
  await ann.place.consent(begun.authorization_url);
  const unknown = {
    exit: 1,
    stdout: "",
    stderr:
      "✗ No pending connection matches that state. It may already be finished.\n  Run `kay connect jira` for a fresh link.\n",
  };
  await ann("profile create work");
  expect(await ann(`${readPoll(begun)} --profile work`)).toEqual(unknown);
  expect((await ann(readPoll(begun))).stdout).toBe(CONNECTED);
  expect(await ann(readPoll(begun))).toEqual(unknown);
});

test("the command that finishes a link names the profile that began it", async () => {
  const ann = kay();
  const begun = await begin(ann, "connect jira --no-wait --json --profile work");
  expect(begun.poll).toMatch(/ --profile work$/);
  await ann.place.consent(begun.authorization_url);
  expect((await ann(readPoll(begun))).stdout).toBe(CONNECTED.replace("\n", " in profile work\n"));
});

test("an interrupted --poll can be run again", async () => {
  const ann = kay();
  const begun = await begin(ann);
  ann.place.network.on("GET /auth/status/", () => {
    ann.interrupt();
    return "pass";
  });
  expect(await ann(readPoll(begun))).toEqual({
    exit: 130,
    stdout: "",
    stderr: "Waiting for authorization in your browser (10 minutes left)…\n",
  });
  await ann.place.consent(begun.authorization_url);
  expect((await ann(readPoll(begun))).stdout).toBe(CONNECTED);
});

test("--no-wait begins and --poll finishes an additional connection", async () => {
  const ann = kay({ connected: ["bitbucket"] });
  const begun = await begin(ann);
  await ann.place.consent(begun.authorization_url);
  expect((await ann(readPoll(begun))).stdout).toBe(CONNECTED);
});

test("--no-wait and --poll take one service", async () => {
  expect(await kay()("connect jira confluence --no-wait")).toEqual({
    exit: 2,
    stdout: "",
    stderr: "✗ --no-wait and --poll accept only one service.\n",
  });
});
