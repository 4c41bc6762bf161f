import { expect, test } from "vitest";
import { parseDocument, useKay } from "#test/kay";

const kay = useKay();
const SITE = "http://127.0.0.1:4010/sites/kay-demo";

const SERVICES = [
  ...["jira", "confluence", "bitbucket", "slack", "github", "gmail", "google-calendar", "google-docs"],
  ...["google-sheets", "google-drive", "notion", "airtable", "hubspot", "linkedin", "kyg"],
];

test.for([{}, { own: true }] as const)(
  "N21 connections lists the services before the first sign-in: %j",
  async (machine) => {
    const ann = kay(machine);
    expect(await ann("connections")).toEqual({
      exit: 0,
      stdout: SERVICES.map((name) => `${name}\tnot connected\t\t\n`).join(""),
      stderr: "! You are not signed in. Run `kay connect <service>`.\n",
    });
    expect(parseDocument(await ann("connections --json"))).toEqual({
      signed_in: false,
      connections: Object.fromEntries(SERVICES.map((name) => [name, { connected: false }])),
      warnings: ["You are not signed in. Run `kay connect <service>`."],
    });
    expect(await ann("connections --check jira")).toEqual({
      exit: 4,
      stdout: "",
      stderr: "✗ You are not signed in.\n  Run `kay connect <service>`.\n",
    });
    expect(ann.place.network.calls()).toEqual([]);
    expect(ann.starts()).toBe(0);
  },
);

test("N21 services lists and shows services before the first sign-in", async () => {
  const ann = kay();
  const { exit, stdout, stderr } = await ann("services");
  expect({ exit, names: stdout.split("\n").map((row) => row.split("\t")[0]) }).toEqual({
    exit: 0,
    names: [...SERVICES, ""],
  });
  expect(stderr).toBe(
    "! You are not signed in. Run `kay connect <service>`.\nConnect one with `kay connect <service>`.\n",
  );
  expect((await ann("services show github")).stdout).toBe("service\tgithub\ntitle\tGitHub\nstate\tnot connected\n");
  expect(await ann("services show pigeons")).toMatchObject({ exit: 2 });
  expect(ann.place.network.calls()).toEqual([]);
});

test("services show prints what your own OAuth client needs before the first sign-in, without starting a backend", async () => {
  const ann = kay({ own: true });
  expect(parseDocument(await ann("services show jira --json"))).toMatchObject({
    client: {
      provider: "atlassian",
      configured: false,
      variables: ["KAY_CLIENT_ATLASSIAN_ID", "KAY_CLIENT_ATLASSIAN_SECRET"],
      settings: ["atlassian.client-id", "atlassian.client-secret"],
      redirect_uri: "http://127.0.0.1:4040/auth/callback",
    },
    scopes: { wanted: expect.arrayContaining(["read:jira-work"]), granted: [] },
    state: "not_connected",
  });
  const withClient = await ann("services show jira", { env: { KAY_CLIENT_ATLASSIAN_ID: "abc" } });
  expect(withClient.stdout).toContain("own client\tconfigured\n");
  expect(ann.starts()).toBe(0);
});

test("N21 connect without a name lists the services, and asks which one for screen readers", async () => {
  const hint = `For example: kay connect jira. The services are ${SERVICES.join(", ")}, and `;
  expect(await kay()("connect")).toMatchObject({ exit: 2, stderr: expect.stringContaining(hint) });
  const ann = kay();
  const read = { terminal: true, columns: 100, env: { NO_COLOR: "1", ACCESSIBLE: "1" } };
  const { exit, stdout, stderr } = await ann("connect", { ...read, types: ["jria", "1, bitbucket"] });
  expect({ exit, stdout }).toEqual({
    exit: 0,
    stdout: expect.stringMatching(/^Connected jira as .*\nConnected bitbucket as .*\n$/),
  });
  expect(stderr).toContain("   1  jira  Jira\n   2  confluence  Confluence\n");
  expect(stderr).toContain("Connect which service? Number or name: ");
  expect(stderr).toContain('"jria" is not in the list.');
  const secondResult = await ann("connect", { ...read, types: [""] });
  expect(secondResult.exit).toBe(5);
  expect(secondResult.stderr).toContain("   1  jira  Jira · connected\n");
});

test("connections in a pipe are rows with tabs, without color", async () => {
  expect(await kay({ signedIn: true })("connections")).toEqual({
    exit: 0,
    stdout: `jira\tconnected\tDana Demo (dana@example.com)\t${SITE}\nconfluence\tnot connected\t\t\nbitbucket\tnot connected\t\t\nslack\tnot connected\t\t\ngithub\tnot connected\t\t\ngmail\tnot connected\t\t\ngoogle-calendar\tnot connected\t\t\ngoogle-docs\tnot connected\t\t\ngoogle-sheets\tnot connected\t\t\ngoogle-drive\tnot connected\t\t\nnotion\tnot connected\t\t\nairtable\tnot connected\t\t\nhubspot\tnot connected\t\t\nlinkedin\tnot connected\t\t\nkyg\tnot connected\t\t\n`,
    stderr: "",
  });
});

/** The rows of the services that are not connected. */
const OTHERS = `confluence       not connected
bitbucket        not connected
slack            not connected
github           not connected
gmail            not connected
google-calendar  not connected
google-docs      not connected
google-sheets    not connected
google-drive     not connected
notion           not connected
airtable         not connected
hubspot          not connected
linkedin         not connected
kyg              not connected
`;

test("connections on a terminal are a table as wide as the terminal", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann("connections", { terminal: true, columns: 100 })).toEqual({
    exit: 0,
    stdout: `\u001b[2mSERVICE          STATE          ACCOUNT                       SITE\u001b[22m
jira             connected      Dana Demo (dana@example.com)  ${SITE}
${OTHERS}`,
    stderr: "",
  });
  expect(await ann("status", { terminal: true, env: { NO_COLOR: "1" } })).toEqual({
    exit: 0,
    stdout: `SERVICE          STATE          ACCOUNT
jira             connected      Dana Demo (dana@example.com)
  SITE  ${SITE}
${OTHERS}`,
    stderr: "",
  });
});

test("connections on a narrow terminal lose nothing: what has no room is below its row", async () => {
  expect(
    (await kay({ signedIn: true })("connections", { terminal: true, columns: 40, env: { NO_COLOR: "1" } })).stdout,
  ).toBe(`SERVICE          STATE
jira             connected
  ACCOUNT  Dana Demo (dana@example.com)
  SITE
  ${SITE}
${OTHERS}`);
});

test("connections --json is the guide's answer", async () => {
  const { exit, stdout, stderr } = await kay({ connected: ["confluence"] })("connections --json");
  expect({ exit, document: parseDocument({ stdout }), stderr }).toEqual({
    exit: 0,
    document: {
      connections: {
        jira: { connected: false },
        confluence: {
          connected: true,
          user: {
            account_id: "557058:0d4a7e52-6f0b-4c39-9a51-3f2c8f1d0a01",
            name: "Dana Demo",
            email: "dana@example.com",
            picture: "http://127.0.0.1:4010/_avatars/Dana%20Demo.svg",
            account_type: "atlassian",
            account_status: "active",
          },
          metadata: { url: SITE, site: "kay-demo", cloud_id: expect.any(String) },
        },
        bitbucket: { connected: false },
        slack: { connected: false },
        github: { connected: false },
        gmail: { connected: false },
        "google-calendar": { connected: false },
        "google-docs": { connected: false },
        "google-sheets": { connected: false },
        "google-drive": { connected: false },
        notion: { connected: false },
        airtable: { connected: false },
        hubspot: { connected: false },
        linkedin: { connected: false },
        kyg: { connected: false },
      },
    },
    stderr: "",
  });
});

test("connections --check prints nothing, and exits 0 or 4", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann("connections --check jira")).toEqual({ exit: 0, stdout: "", stderr: "" });
  expect(await ann("connections --check bitbucket")).toEqual({ exit: 4, stdout: "", stderr: "" });
  const { exit, stdout } = await ann("connections --check bitbucket --json");
  expect([exit, JSON.parse(stdout)]).toEqual([4, { service: "bitbucket", connected: false }]);
  expect(await ann("connections --check jria")).toEqual({
    exit: 2,
    stdout: "",
    stderr:
      '✗ Unknown service "jria". Did you mean jira? The services are jira, confluence, bitbucket, slack, github, gmail, google-calendar, google-docs, google-sheets, google-drive, notion, airtable, hubspot, linkedin, kyg.\n  Run `kay connections` to see every service.\n',
  });
});

test("connections names the command that connects a lost service again", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  const reason = "The backend's keys no longer decrypt the sign-in to Jira.";
  ann.place.network.always("GET /connections", { json: { connections: { jira: { connected: false, reason } } } });
  expect(await ann("connections")).toEqual({
    exit: 0,
    stdout: `jira\tnot connected\t${reason}\t\n`,
    stderr: "Run `kay connect jira` to connect again.\n",
  });
});

test("U17 no control character of a service's or a person's name reaches the terminal", async () => {
  const ann = kay({ signedIn: true });
  const user = { name: "J\u001b[31mD", email: "\u202ejd@example.com" };
  const connection = { connected: true, user, metadata: { url: "https://x.example.test/\u0007" } };
  await ann("whoami");
  ann.place.network.always("GET /connections", {
    json: { connections: { "ji\u001b[2Kra": connection, b: { connected: false, reason: "\u009b31m" } } },
  });
  for (const terminal of [true, false]) {
    const { stdout } = await ann("connections", { terminal, env: { NO_COLOR: "1" }, columns: 200 });
    expect(stdout.replaceAll(/[\n\t]/g, "")).toMatch(/^[^\p{Cc}\u202e]*$/u);
    expect(stdout).toContain("connected");
  }
});
