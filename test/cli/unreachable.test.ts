import { expect, test } from "vitest";
import { useKay } from "#test/kay";
import { BACKEND, type Reply } from "#test/network";

const kay = useKay();

test("H16 a backend that is not running is exit 6, with what was tried and how to start it", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  ann.place.network.always("", "refused");
  const stderr = `✗ Cannot reach ${BACKEND} (ECONNREFUSED).\n  Nothing answers on 127.0.0.1:4000. Start the backend with \`kay serve\`, or check the address: \`kay config get api-url\`.\n`;
  for (const line of ["connections", "whoami", "ask hello", "confirm x --approve", "disconnect jira --yes"])
    expect(await ann(line)).toEqual({ exit: 6, stdout: "", stderr });
});

test.for<[string, Reply, number, string]>([
  [
    "a web page",
    { text: "<!doctype html><title>Login</title>" },
    1,
    `${BACKEND} answered 200 with a web page (“Login”) instead of JSON.`,
  ],
  ["an empty body", {}, 1, `${BACKEND} answered 200 with an empty body instead of JSON.`],
  [
    "a page of a gateway",
    { status: 502, text: "<html>" },
    6,
    `${BACKEND} answered 502 with a web page instead of JSON.`,
  ],
  [
    "a page that is not there",
    { status: 404, text: "<html>" },
    1,
    `${BACKEND} answered 404 with a web page instead of JSON.`,
  ],
  [
    "a wrong shape",
    { json: { connections: [] } },
    1,
    "The answer of GET /connections is not valid: connections must be a record.",
  ],
  ["nothing that is needed", { json: {} }, 1, "The answer of GET /connections is not valid: connections is missing."],
])("an answer that is %s is one sentence, never the page", async ([, reply, exit, sentence]) => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  ann.place.network.always("GET /connections", reply);
  const result = await ann("connections");
  expect({ ...result, stderr: result.stderr.split("\n")[0] }).toEqual({ exit, stdout: "", stderr: `✗ ${sentence}` });
});

test("a backend that accepts a question and is silent is named after ten seconds, and not in a script's document", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  ann.place.network.on("POST /ask", "hang");
  const note = `${BACKEND} has not answered yet. Press Ctrl+C to cancel.\n`;
  const { exit, stdout, stderr } = await ann("ask hello --timeout 1m");
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(stderr).toBe(
    `${note}✗ Timed out after 1 min, before the backend reported anything.\n  Run \`kay sessions show latest\` to see whether it started.\n`,
  );
  ann.place.network.on("POST /ask", "hang");
  expect((await ann("ask hello --json --timeout 1m")).stderr).not.toContain("has not answered");
});

test("H18 a backend that asks for a pause gets it: three attempts, as requested", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  ann.place.network.seen.length = 0;
  const busy: Reply = {
    status: 429,
    headers: { "retry-after": "2" },
    json: { error: "RATE_LIMITED", message: "Slow down." },
  };
  ann.place.network.on("GET /connections", busy, busy);
  const begun = ann.place.clock.now();
  expect(await ann("connections")).toMatchObject({ exit: 0, stderr: "" });
  expect(ann.place.clock.now() - begun).toBeGreaterThanOrEqual(4_000);
  expect(ann.place.network.calls()).toEqual(["GET /connections", "GET /connections", "GET /connections"]);
});

test("H18 a pause of an hour is not waited for", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  const begun = ann.place.clock.now();
  ann.place.network.on("GET /connections", {
    status: 429,
    headers: { "retry-after": "3600" },
    json: { error: "RATE_LIMITED" },
  });
  expect(await ann("connections")).toEqual({
    exit: 6,
    stdout: "",
    stderr: `✗ ${BACKEND} received too many requests (429).\n  Try again in 60 min.\n`,
  });
  expect(ann.place.clock.now()).toBe(begun);
});

test.for([
  ["connections", "GET /connections", "https://elsewhere.example.test/x"],
  ["connect bitbucket", "POST /connections/connect", "https://elsewhere.example.test/x"],
  ["ask hello", "POST /ask", "https://elsewhere.example.test/x"],
  ["connections", "GET /connections", "http://127.0.0.1:4999/x"],
] as const)(
  "H20 %s does not follow a redirect to another origin, and keeps stored data",
  async ([line, route, location]) => {
    const ann = kay({ signedIn: true });
    await ann("whoami");
    const oldSignIn = await ann.stored();
    ann.place.network.on(route, { status: 307, headers: { location } });
    expect(await ann(line)).toEqual({
      exit: 1,
      stdout: "",
      stderr: `✗ ${BACKEND} answered with an unexpected redirect to ${new URL(location).origin} (307).\n  Set the final address with \`kay config set api-url\`.\n`,
    });
    expect(await ann.stored()).toEqual(oldSignIn);
    expect(ann.place.network.seen.every(({ url }) => url.startsWith(BACKEND))).toBe(true);
  },
);

test("H20 a refresh does not follow redirects either", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  ann.place.clock.advance(31 * 60_000);
  const oldSignIn = await ann.stored();
  ann.place.network.on("POST /auth/refresh", {
    status: 307,
    headers: { location: "https://elsewhere.example.test/x" },
  });
  expect(await ann("connections")).toEqual({
    exit: 1,
    stdout: "",
    stderr: `✗ ${BACKEND} answered with an unexpected redirect to https://elsewhere.example.test (307).\n  Set the final address with \`kay config set api-url\`.\n`,
  });
  expect(await ann.stored()).toEqual(oldSignIn);
});

test.for([
  ["http://example.com", "http://example.com would receive your tokens unencrypted over the network."],
  ["ftp://example.com", "KAY_API_URL: The URL must start with https:// or http://, not ftp://."],
  ["https://user:secret@example.com", "KAY_API_URL: The URL must not contain a user name or password."],
])("a backend at %s is refused before anything is sent", async ([url = "", sentence]) => {
  const ann = kay({ env: { KAY_API_URL: url } });
  const { exit, stdout, stderr } = await ann("connect jira");
  expect({ exit, stdout, sentence: stderr.split("\n")[0] }).toEqual({ exit: 2, stdout: "", sentence: `✗ ${sentence}` });
  expect(stderr).not.toContain("secret");
});
