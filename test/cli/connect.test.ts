import { expect, test } from "vitest";
import { parseDocument, useKay } from "#test/kay";
import { asksFor, linkTo } from "#test/links";

const kay = useKay();
const DANA = "Dana Demo (dana@example.com) at http://127.0.0.1:4010/sites/kay-demo";

test("connect prints the link, waits for the consent, stores the tokens and names the account", async () => {
  const ann = kay();
  expect(await ann("connect jira")).toEqual({
    exit: 0,
    stdout: `Connected jira as ${DANA}\n`,
    stderr: asksFor("jira"),
  });
  expect(await ann.stored()).toEqual({
    session_id: expect.stringMatching(/^kaysession_\d+_[0-9a-f]{32}$/),
    token: expect.stringMatching(/^ey/),
    refresh_token: expect.stringMatching(/^\S{20,}$/),
    account_id: "557058:0d4a7e52-6f0b-4c39-9a51-3f2c8f1d0a01",
    clock_offset_ms: expect.any(Number),
    accounts: { jira: "Dana Demo (dana@example.com)" },
  });
});

test("a later connection is also confirmed by the backend, and keeps the installation and its tokens", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  const oldSignIn = await ann.stored();
  ann.place.network.seen.length = 0;
  expect(await ann("connect bitbucket")).toEqual({
    exit: 0,
    stdout: "Connected bitbucket as Dana Demo (dana) at http://127.0.0.1:4011/kay-demo\n",
    stderr: asksFor("bitbucket"),
  });
  expect(ann.place.network.calls().at(-1)).toBe("GET /connections");
  expect(await ann.stored()).toEqual({
    ...oldSignIn,
    clock_offset_ms: expect.any(Number),
    accounts: { ...oldSignIn.accounts, bitbucket: "Dana Demo (dana)" },
  });
});

test("connect says when the backend no longer knows the installation, and drops its old tokens", async () => {
  const ann = kay();
  const old = { session_id: `kaysession_1_${"0".repeat(32)}`, token: "old", refresh_token: "old-refresh" };
  await ann.store(old);
  expect(await ann("connect jira")).toEqual({
    exit: 0,
    stdout: `Connected jira as ${DANA}\n`,
    stderr: `! The backend did not recognize this installation and created a new one. Reconnect your services.\n${asksFor("jira")}`,
  });
  const now = await ann.stored();
  expect([now.session_id, now.token, now.refresh_token]).not.toEqual(expect.arrayContaining(Object.values(old)));
  expect((await ann("connections --check jira")).exit).toBe(0);
});

test("connect with another account than before names both", async () => {
  const ann = kay({ signedIn: true });
  await ann("connect bitbucket");
  const person = (url: string) => ann.place.consent(url, { account: "557058:7c1e93b4-2a68-4f7d-8e40-b5d9a6c31f02" });
  expect(await ann("connect bitbucket", { person })).toMatchObject({
    exit: 0,
    stdout: "Connected bitbucket as Sam Sample (sam) at http://127.0.0.1:4011/kay-demo, instead of Dana Demo (dana)\n",
  });
  expect(parseDocument(await ann("connect bitbucket --json"))).toMatchObject({
    service: "bitbucket",
    user: { display_name: "Dana Demo" },
    previous: { user: { display_name: "Sam Sample" } },
  });
});

test("connect exits with 5 when the user denies, and stores nothing", async () => {
  const ann = kay({ person: "denies" });
  expect(await ann("connect jira")).toEqual({
    exit: 5,
    stdout: "",
    stderr: `${asksFor("jira")}✗ Access to jira was denied.\n  Run \`kay connect jira\` to try again.\n`,
  });
  await expect.poll(() => ann.stored()).toEqual({});
});

test("connect waits ten minutes for the consent, and then says what to do", async () => {
  const ann = kay({ person: "stays away" });
  const begun = ann.place.clock.now();
  expect(await ann("connect jira")).toEqual({
    exit: 1,
    stdout: "",
    stderr: `${asksFor("jira")}✗ The authorization link has expired (links are valid for 10 minutes).\n  Run \`kay connect jira\` again for a fresh link.\n`,
  });
  expect(ann.place.clock.now() - begun).toBeGreaterThanOrEqual(600_000);
  expect(ann.place.clock.now() - begun).toBeLessThan(660_000);
});

test("connect offers a fresh link on a terminal when the first one expired", async () => {
  const ann = kay();
  let links = 0;
  const result = await ann("connect jira", {
    terminal: true,
    columns: 100,
    types: [""],
    person: async (url) => (++links === 2 ? ann.place.consent(url) : undefined),
  });
  expect([result.exit, result.stdout]).toEqual([0, `Connected jira as ${DANA}\n`]);
  expect(result.stderr).toContain(
    "The authorization link has expired (links are valid for 10 minutes). Press Enter for a new link, or Ctrl+C to quit. ",
  );
});

test("connect shows the provider's reason for a failure", async () => {
  const ann = kay();
  await ann.place.control("atlassian", "PUT /faults", { match: { path: "/oauth/token" }, status: 500, times: 9 });
  expect(await ann("connect jira")).toEqual({
    exit: 1,
    stdout: "",
    stderr: `${asksFor("jira")}✗ Jira failed during the sign-in (HTTP 500).\n  Check the service's status page and try again.\n`,
  });
});

test("connect to an unknown service lists all services, and the nearest one", async () => {
  expect(await kay()("connect jra")).toEqual({
    exit: 2,
    stdout: "",
    stderr: `✗ Unknown service "jra". Did you mean jira? The services are jira, confluence, bitbucket, slack, github, gmail, google-calendar, google-docs, google-sheets, google-drive, notion, airtable, hubspot, linkedin, kyg.\n  Run \`kay connections\` to see every service.\n`,
  });
});

test("connect takes several services, each once; the first of a machine signs in and goes first", async () => {
  const ann = kay();
  expect(await ann("connect jira confluence jira")).toEqual({
    exit: 0,
    stdout: `Connected jira as ${DANA}\nConnected confluence as ${DANA}\n`,
    stderr: asksFor("jira") + asksFor("confluence"),
  });
  const { exit, stdout } = await ann("connect jira bitbucket --json");
  expect([exit, parseDocument({ stdout })]).toEqual([
    0,
    {
      connected: [
        expect.objectContaining({ service: "jira", connected: true }),
        expect.objectContaining({ service: "bitbucket", connected: true }),
      ],
    },
  ]);
});

test("connect that fails in the middle reports what was connected before", async () => {
  const ann = kay();
  const { exit, stdout, stderr } = await ann("connect jira jira2 --json");
  expect([exit, parseDocument({ stdout })]).toEqual([
    2,
    {
      status: "error",
      error: "UNKNOWN_SERVICE",
      code: "UNKNOWN_SERVICE",
      message:
        'Unknown service "jira2". Did you mean jira? The services are jira, confluence, bitbucket, slack, github, gmail, google-calendar, google-docs, google-sheets, google-drive, notion, airtable, hubspot, linkedin, kyg.',
      http_status: 400,
      connected: [expect.objectContaining({ service: "jira", connected: true })],
      hint: "Run `kay connections` to see every service.",
    },
  ]);
  expect(stderr).toContain('✗ Unknown service "jira2".');
});

test("connect starts several services together, prints every link, and reports each that ends", async () => {
  const ann = kay({ signedIn: true });
  const { exit, stdout, stderr } = await ann("connect confluence bitbucket");
  expect([exit, stdout.split("\n").sort().join("\n")]).toEqual([
    0,
    `\nConnected bitbucket as Dana Demo (dana) at http://127.0.0.1:4011/kay-demo\nConnected confluence as ${DANA}`,
  ]);
  expect(stderr).toBe(
    `${linkTo("confluence")}${linkTo("bitbucket")}There is no display to open a browser on. Open the links manually.\nWaiting for 2 authorizations (10 minutes)…\n`,
  );
});

test("connect says which of several services was denied, and keeps the others", async () => {
  const ann = kay({ signedIn: true });
  const person = (url: string) => ann.place.consent(url, { decision: url.includes(":4011/") ? "deny" : "allow" });
  const { exit, stdout, stderr } = await ann("connect confluence bitbucket", { person });
  expect([exit, stdout]).toEqual([5, `Connected confluence as ${DANA}\n`]);
  expect(stderr).toContain("✗ bitbucket: Access to bitbucket was denied.\n");
  const secondResult = await ann("connect confluence bitbucket --json", { person });
  expect([secondResult.exit, parseDocument(secondResult)]).toMatchObject([
    5,
    { status: "error", code: "AUTHORIZATION_DENIED", connected: [{ service: "confluence", connected: true }] },
  ]);
});

test("connect of several services ends with Ctrl+C and stores nothing", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  const oldSignIn = await ann.stored();
  const { exit, stdout } = await ann("connect confluence bitbucket", {
    terminal: true,
    person: "stays away",
    presses: ["\x03"],
  });
  expect([exit, stdout]).toEqual([130, ""]);
  expect(await ann.stored()).toEqual({ ...oldSignIn, clock_offset_ms: expect.any(Number) });
});
