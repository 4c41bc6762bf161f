import { expect, test } from "vitest";
import { parseDocument, useKay } from "#test/kay";
import { asksFor } from "#test/links";

const kay = useKay();
const STARTING = "Starting a local backend (stops after 30 minutes of inactivity).\n";

test("without a configured backend kay starts the local one, once, and opens it with its secret", async () => {
  const ann = kay({ own: true });
  expect(await ann("connect jira")).toEqual({
    exit: 0,
    stdout: "Connected jira as Dana Demo (dana@example.com) at http://127.0.0.1:4010/sites/kay-demo\n",
    stderr: STARTING + asksFor("jira"),
  });
  expect(await ann("whoami")).toEqual({
    exit: 0,
    stdout: "jira\tDana Demo (dana@example.com)\thttp://127.0.0.1:4010/sites/kay-demo\n",
    stderr: "Profile default, the local backend\n",
  });
  expect(ann.starts()).toBe(1);
  const secrets = ann.place.network.seen.map(({ headers }) => headers?.["Kay-Local-Secret"]);
  expect(new Set(secrets)).toEqual(new Set(["local-secret"]));
  expect(await ann.stored("embedded")).toMatchObject({ session_id: expect.any(String), token: expect.any(String) });
});

test("no backend is started to find out that no user is signed in", async () => {
  const ann = kay({ own: true });
  for (const line of ["connections --check jira", "ask hello", "whoami", "disconnect jira --yes", "confirm x --deny"])
    expect(await ann(line)).toMatchObject({ exit: 4, stderr: expect.stringMatching(/^✗ You are not signed in\.\n/) });
  expect(await ann("logout")).toMatchObject({ exit: 0 });
  expect(ann.starts()).toBe(0);
});

test("KAY_TOKEN is never sent to the local backend", async () => {
  const ann = kay({ own: true, env: { KAY_TOKEN: "ci-token" } });
  const ignored = "! Ignoring KAY_TOKEN: it only applies when KAY_API_URL is set.\n";
  expect(await ann("connections --check jira")).toEqual({
    exit: 4,
    stdout: "",
    stderr: `${ignored}✗ You are not signed in.\n  Run \`kay connect <service>\`.\n`,
  });
  expect(await ann("connect jira")).toMatchObject({ exit: 0, stderr: ignored + STARTING + asksFor("jira") });
  expect(await ann("connections --check jira")).toMatchObject({ exit: 0 });
  expect(JSON.stringify(ann.place.network.seen)).not.toContain("ci-token");
});

test("a backend that does not start is one sentence, with its log file", async () => {
  const ann = kay({ own: "fails" });
  expect(await ann("connect jira")).toEqual({
    exit: 1,
    stdout: "",
    stderr: `${STARTING}✗ Could not start the local backend.\n  Its log: /home/ann/kay/backend.log\n`,
  });
  await ann.store({ session_id: "kaysession_1", token: "t", refresh_token: "r" }, "embedded");
  expect(await ann("logout")).toEqual({
    exit: 0,
    stdout: "Signed out.\n",
    stderr: `${STARTING}! Could not start the local backend. The sign-in may remain valid at the backend until it expires.\n`,
  });
  expect(await ann.stored("embedded")).toEqual({ session_id: "kaysession_1" });
});

test("the sign-ins of the local backend and of another one are separate", async () => {
  const ann = kay({ own: true, signedIn: true });
  expect(await ann("whoami", { env: { KAY_API_URL: "https://elsewhere.example.test" } })).toMatchObject({
    exit: 4,
  });
  expect(await ann("connections --check jira")).toMatchObject({ exit: 0 });
});

test("try does the main job from start to end, even without a user", async () => {
  const { exit, stdout, stderr } = await kay({ own: true, person: "stays away" })("try");
  expect({ exit, stdout: stdout.replace(/\| KAY-\d+ \|.*\n/g, ""), stderr }).toEqual({
    exit: 0,
    stdout: `
$ kay connect jira
✓ Connected jira as Dana Demo (dana@example.com) at http://127.0.0.1:4010/sites/kay-demo

$ kay connections
jira\tconnected\tDana Demo (dana@example.com)\thttp://127.0.0.1:4010/sites/kay-demo
confluence\tnot connected\t\t
bitbucket\tnot connected\t\t
slack\tnot connected\t\t
github\tnot connected\t\t
gmail\tnot connected\t\t
google-calendar\tnot connected\t\t
google-docs\tnot connected\t\t
google-sheets\tnot connected\t\t
google-drive\tnot connected\t\t
notion\tnot connected\t\t
airtable\tnot connected\t\t
hubspot\tnot connected\t\t
linkedin\tnot connected\t\t
kyg\tnot connected\t\t

$ kay ask "what is open in project KAY?"
9 open issues in KAY:

| Key | Summary | Type | Status | Assignee |
| --- | --- | --- | --- | --- |

$ kay ask --confirm "create a task in KAY: Say hello from kay"
Action confirmed and executed successfully

Created KAY-13: Say hello from kay

http://127.0.0.1:4010/sites/kay-demo/browse/KAY-13

That was:
  kay connect jira
  kay connections
  kay ask "what is open in project KAY?"
  kay ask --confirm "create a task in KAY: Say hello from kay"

Next, run \`kay connect\` to choose a service, then \`kay\` to start a session.
`,
    stderr: expect.stringContaining(
      "There is no display to open a browser on. Giving the consent as the sandbox's demo user.\n",
    ),
  });
});

test("try opens the browser and asks if there is a user", async () => {
  const ann = kay({ own: true, env: { DISPLAY: ":0", NO_COLOR: "1" }, programs: ["xdg-open"] });
  const { exit, stdout, stderr } = await ann("try", { terminal: true, types: ["n"] });
  expect([exit, ann.launched.length]).toEqual([0, 1]);
  expect(stderr).toContain("Continue? [y/N] n\n");
  expect(stdout).toContain("Action cancelled by user\n");
});

test("N58 try has sandbox services and a separate profile and backend, whatever is configured", async () => {
  const env = { KAY_CLIENT_ATLASSIAN_ID: "real", KAY_TOKEN: "real", KAY_API_URL: "https://kay.example.test" };
  const ann = kay({ own: true, signedIn: true });
  await ann("whoami");
  const oldSignIn = await ann.stored("embedded");
  ann.spawned.length = 0;
  const { exit, stderr } = await ann("try", { env, person: "stays away" });
  expect(exit).toBe(0);
  expect(stderr).toMatch(
    /^This tour runs on this machine, with sandbox services\. It touches none of your accounts\.\n/,
  );
  expect(ann.spawned).toEqual([{ profile: "tour", sandbox: true }]);
  expect(await ann.stored("embedded")).toEqual(oldSignIn);
  expect(await ann("connections --check jira --profile tour")).toMatchObject({ exit: 4 });
  expect(ann.place.network.seen.map(({ url }) => new URL(url).hostname)).not.toContain("kay.example.test");
});

test("try --json is one document", async () => {
  expect(parseDocument(await kay({ own: true, person: "stays away" })("try --json"))).toMatchObject({
    completed: true,
  });
});

test("serve --stop says if the local backend is not running", async () => {
  const ann = kay({ own: true });
  expect(await ann("serve --stop")).toEqual({ exit: 0, stdout: "The local backend is not running.\n", stderr: "" });
  expect(parseDocument(await ann("serve --stop --json"))).toEqual({ state: "not running" });
});
