import { expect, test } from "vitest";
import type { Fetch } from "#net/ports";
import { readChecks } from "#test/doctor";
import { openInk } from "#test/ink";
import { type Machine, type MachineOptions, parseDocument, useKay } from "#test/kay";
import { paste } from "#test/key-page";
import type { LoginOptions } from "#test/mcp-login";
import { mcpStandIn } from "#test/mcp-stand-ins";

const kay = useKay();
const TERMINAL = { terminal: true, env: { NO_COLOR: "1" } };

/** A user with a stand-in, who consents at its page. */
function beside(name: string, options: LoginOptions | "open", more: MachineOptions = {}) {
  const standIn = mcpStandIn(name, options);
  const hosted = new Map<string, unknown>();
  let { fetch } = standIn;
  const ann: Machine = kay({
    elsewhere: async (url, init) => (hosted.has(url) ? Response.json(hosted.get(url)) : await fetch(url, init)),
    person: async (link) => ann.place.backend.fetch(new Request(standIn.login?.consent(link) ?? link)),
    ...more,
  });
  const host = (url: string, document: unknown) => hosted.set(url, document);
  const move = (to: Fetch) => {
    fetch = to;
  };
  return { ann, ...standIn, host, move };
}

test("one command adds a known server with registration, opens its consent, shows its tools, and takes one answer", async () => {
  const { ann, server, login } = beside("linear", {});
  server.state.paid = true;
  const run = await ann("connect linear", { ...TERMINAL, types: ["r"] });
  expect(run).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Connected linear as /) });
  expect(run.stderr).toContain("Adding Linear, the MCP server at https://mcp.linear.app/mcp.\n");
  expect(run.stderr).toMatch(/^To connect linear, allow access at login\d+\.example\.test:$/m);
  expect(run.stderr).toContain("\n  write        linear.add_note   (11 characters)\n");
  expect(run.stderr.replace("the 3\n", "the 3 ")).toContain(
    "Approve the tools of Linear? y: ask before each call, r: like y, but run the 3 that claim to only read without asking [y/r/N] r\nApproved 4 tools of linear.\n",
  );
  expect(await ann("tools call linear.list_paid")).toEqual({ exit: 0, stdout: "paid notes\n", stderr: "" });
  expect(login?.state).toMatchObject({ registrations: 1, faults: [] });
  const secondResult = await ann("connect linear", TERMINAL);
  expect(secondResult).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Connected linear as /) });
  expect(secondResult.stderr).not.toContain("Approve the tools");
});

test("declining the tools removes the server again, with its connection", async () => {
  const { ann, login } = beside("linear", {}, { signedIn: true });
  const run = await ann("connect linear", { ...TERMINAL, types: ["n"] });
  expect(run).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining("✗ Its tools were not approved, so linear was removed again.\n"),
  });
  expect((await ann("services")).stdout).not.toContain("linear");
  expect(login?.refresh.size).toBe(0);
});

test("a server with approved tools stays when it is reconnected and lists others", async () => {
  const { ann, server } = beside("linear", {}, { signedIn: true });
  const forward = server.fetch;
  await ann("connect linear --yes");
  server.fetch = async (request) => {
    const response = await forward(request);
    if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream") || request.method === "GET")
      return response;
    return new Response((await response.text()).replaceAll("Add a note.", "Add a note, or two."), response);
  };
  const secondResult = await ann("connect linear", { ...TERMINAL, types: ["n"] });
  expect(secondResult).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Connected linear as /) });
  expect((await ann("tools list --service linear")).stdout).toMatch(/^linear\.pick_note/m);
  expect((await ann("services approve linear --dry-run")).stderr).toContain("linear.add_note");
});

test("in a script, the server is connected and a sentence says how to approve its tools; --yes approves them", async () => {
  const { ann } = beside("linear", {}, { signedIn: true });
  expect(await ann("connect linear")).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining("Review them with `kay services approve linear`.\n"),
  });
  expect((await ann("tools list --service linear")).stdout).toBe("");
  const run = await ann("connect linear --yes --json");
  expect(parseDocument(run)).toMatchObject({ service: "linear", connected: true });
  expect((await ann("tools list --service linear")).stdout).toMatch(/^linear\.add_note\twrite\t/m);
});

test("an open server shows its tools before it is added, and needs one answer", async () => {
  const { ann } = beside("deepwiki", "open", { signedIn: true });
  expect(await ann("connect deepwiki")).toMatchObject({ exit: 2 });
  const no = await ann("connect deepwiki", { ...TERMINAL, types: [""] });
  expect(no).toMatchObject({ exit: 5, stdout: "" });
  const run = await ann("connect deepwiki", { ...TERMINAL, types: ["y"] });
  expect(run.stderr).toMatch(/Deepwiki \(deepwiki\) at https:\/\/mcp\.deepwiki\.com\/mcp\n/);
  expect(run).toMatchObject({ exit: 0, stdout: "Connected deepwiki, which needs no sign-in\n" });
  expect((await ann("tools list --service deepwiki")).stdout).toMatch(/^deepwiki\.pick_note\twrite\t/m);
});

test("before the first sign-in, an open server is connected without a page", async () => {
  const { fetch } = mcpStandIn("deepwiki", "open");
  const ann = kay({ elsewhere: fetch });
  const run = await ann("connect deepwiki --yes", { person: "stays away" });
  expect(run).toMatchObject({ exit: 0, stdout: "Connected deepwiki, which needs no sign-in\n" });
  expect(run.stderr).not.toContain("allow access");
  expect((await ann("tools list --service deepwiki")).stdout).toMatch(/^deepwiki\.pick_note\twrite\t/m);
});

test("a server with a key asks for it on a page", async () => {
  const { fetch } = mcpStandIn("close", { key: "s3cret" });
  const ann: Machine = kay({
    elsewhere: fetch,
    person: async (link) => paste(ann.place.backend, link, { secret: "s3cret" }),
  });
  const run = await ann("connect close --yes");
  expect(run).toMatchObject({ exit: 0, stdout: "Connected close as access token at https://mcp.close.com/mcp\n" });
  expect(run.stderr).toContain("To connect close, paste its key at ");
  expect((await ann("tools list --service close")).stdout).toMatch(/^close\.add_note/m);
});

test("a server whose consent kay must not use says why, and takes a token", async () => {
  const { ann } = beside("linear", { metadata: { code_challenge_methods_supported: undefined } });
  const run = await ann("connect linear --no-wait", { person: "stays away" });
  expect([run.exit, run.stdout + run.stderr]).toEqual([0, expect.stringContaining("/auth/key")]);
  expect(run.stderr).toContain("its authorization server does not announce PKCE with S256.");
  const { ann: bob, notes } = beside("linear", { metadata: { registration_endpoint: undefined } }, { signedIn: true });
  const added = await bob(["services", "add", "--name", "notes", "--mcp", notes, "--dry-run"]);
  expect(added.stderr).toContain("mcp.linear.app has a consent for clients that you register: use `--client-id`.");
});

test("a built-in name stays built in, and one of the user's own services is left unchanged", async () => {
  const ann = kay();
  expect((await ann("connect notion")).stderr).toMatch(/^✗ notion is not configured on this backend\./);
  const { ann: bob, notes } = beside("linear", {}, { signedIn: true });
  await bob(["services", "add", "--name", "linear", "--mcp", `${notes}?team=7`, "--yes"]);
  await bob("connect linear");
  expect((await bob("services export linear")).stdout).toContain("?team=7");
});

test("the list of known servers needs no sign-in, and connect offers them", async () => {
  const ann = kay();
  const { stdout } = await ann("services list --known");
  expect(stdout).toMatch(/^linear\tissues, projects and cycles\tconsent\thttps:\/\/mcp\.linear\.app\/mcp$/m);
  expect(stdout).toMatch(/^notion\t.*\tbuilt in\t/m);
  const { known } = parseDocument(await ann("services list --known --json")) as { known: { name: string }[] };
  expect(known.length).toBeGreaterThan(40);
  expect((await ann("connect")).stderr.replace(/\s+/g, " ")).toMatch(
    /and \d+ MCP servers: `kay services list --known`\./,
  );
});

test("doctor says whether the address of a known server answers, before it is added", async () => {
  const { ann } = beside("linear", {});
  const checks = readChecks(await ann("doctor linear --json"));
  expect(checks.service).toBe("ok: Linear, an MCP server that kay knows but you have not added.");
  expect(checks["service.address"]).toBe(
    "ok: https://mcp.linear.app/mcp answers, and asks for consent in the browser.",
  );
  const offline = kay({ elsewhere: async () => new Response("<html>", { status: 404 }) });
  expect(readChecks(await offline("doctor linear --json"))["service.address"]).toBe(
    "failed: Linear refused the request (HTTP 404). → See https://linear.app/docs/mcp.",
  );
});

test("a network without the server's name is the reason, and doctor checks each step", async () => {
  const cause = Object.assign(new Error("getaddrinfo ENOTFOUND mcp.linear.app"), { code: "ENOTFOUND" });
  const ann = kay({ elsewhere: () => Promise.reject(Object.assign(new TypeError("fetch failed"), { cause })) });
  const hint = "No address was found for its name. Check the network, and set HTTPS_PROXY if you need a proxy.";
  for (const name of ["linear", "linear@work"]) {
    const { exit, stderr } = await ann(`connect ${name} --yes`);
    expect(exit).toBe(1);
    expect(stderr).toMatch(/^✗ Linear( \(work\))? could not be reached\.$/m);
    expect(stderr.replace(/\s+/g, " ")).toContain(`${hint} \`kay doctor ${name}\` checks each step.`);
  }
  const added = await ann("services add --mcp https://notes.example.test/mcp --yes");
  expect(added.stderr.replace(/\s+/g, " ")).toMatch(new RegExp(`could not be reached\\. ${hint} $`));
});

const REDIRECT = "http://127.0.0.1:4000/auth/callback";
const OWN = { registration_endpoint: undefined, token_endpoint_auth_methods_supported: ["client_secret_basic"] };

test("a server without registration is connected with the user's own client, whose secret comes from stdin", async () => {
  const clients = [{ id: "mine", secret: "s3/cr+et", redirects: [REDIRECT] }];
  const { ann, login } = beside("zoom", { metadata: OWN, clients });
  expect(await ann("connect zoom")).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining(
      `✗ Zoom needs an OAuth client that you register there.\n  Register one with the redirect URL ${REDIRECT} (see https://developers.zoom.us/docs/mcp/servers/), then run \`kay connect zoom --client-id ID --client-secret\`.\n`,
    ),
  });
  const run = await ann("connect zoom --client-id mine --client-secret --yes", { stdin: "s3/cr+et\n" });
  expect(run).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Connected zoom as /) });
  expect(login?.state).toMatchObject({ registrations: 0, faults: [] });
  expect((await ann("services export zoom")).stdout).toBe(
    "kay services add --name zoom --client-id mine --mcp https://mcp.zoom.us/mcp/zoom/streamable\n",
  );
  expect(JSON.stringify([await ann("services show zoom --json"), ann.raw()])).not.toContain("s3/cr+et");
  const readError = async (line: string) => (await ann(line)).stderr.split("\n")[0];
  expect(await readError("connect zoom --client-secret")).toBe("✗ --client-secret requires --client-id.");
  expect(await readError("connect zoom --client-id other")).toBe(
    "✗ zoom was already added, so its client was not changed.",
  );
  expect(await readError("connect jira --client-id other")).toBe("✗ kay does not know an MCP server named jira.");
});

test("the secret comes from a variable, and is sent only to the first authorization server", async () => {
  const clients = [{ id: "mine", secret: "s3cret", redirects: [REDIRECT] }];
  const standIn = beside("zoom", { metadata: OWN, clients }, { signedIn: true });
  const { ann, login, notes } = standIn;
  const env = { KAY_CLIENT_ZOOM_SECRET: "s3cret" };
  const add = ["services", "add", "--name", "zoom", "--client-id", "mine", "--mcp", notes, "--yes"];
  expect(await ann(add, { env })).toMatchObject({ exit: 0, stdout: "Added zoom.\n" });
  expect(await ann("connect zoom --yes")).toMatchObject({ exit: 0 });
  expect(login?.state.faults).toEqual([]);
  const other = mcpStandIn("zoom", { metadata: OWN, clients });
  standIn.move(other.fetch);
  expect(await ann("connect zoom", { person: "stays away" })).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(
      /✗ Zoom signs in at login\d+\.example\.test now, and your client ID was registered at login\d+\.example\.test\. Nothing was sent\./,
    ),
  });
});

const DOCUMENT = "https://ann.example.test/kay.json";

test("a server that accepts documents gets the user's URL, which is printed for hosting and checked before use", async () => {
  const metadata = { registration_endpoint: undefined, client_id_metadata_document_supported: true };
  const { ann, login, host } = beside(
    "sentry",
    { metadata, clients: [{ id: DOCUMENT, redirects: [REDIRECT] }] },
    { clientDocument: DOCUMENT },
  );
  expect(await ann("connect sentry --yes", { person: "stays away" })).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining(`✗ Your client document ${DOCUMENT} is not there.\n`),
  });
  const printed = parseDocument(await ann(`services client-document ${DOCUMENT}`)) as object;
  expect(printed).toEqual({
    client_id: DOCUMENT,
    client_name: "kay",
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "native",
  });
  host(DOCUMENT, { ...printed, redirect_uris: ["http://127.0.0.1:4041/auth/callback"] });
  expect((await ann("connect sentry --yes", { person: "stays away" })).stderr).toContain(
    `✗ Your client document ${DOCUMENT} does not list the redirect URL ${REDIRECT}.\n`,
  );
  host(DOCUMENT, printed);
  expect(await ann("connect sentry --yes")).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^Connected sentry/),
  });
  expect(login?.state).toMatchObject({ registrations: 0, faults: [] });
  expect((await ann("services client-document http://ann.example.test/kay.json")).stderr).toContain(
    "✗ The client document must be an https:// URL with a path",
  );
});

test("/connect in a session does the same with cards: consent, tools, and one answer", {
  timeout: 60_000,
}, async () => {
  const { ann, login } = beside("linear", {}, { signedIn: true });
  const ink = await openInk(ann, "ask", { person: "stays away" });
  await ink.sees("● jira");
  ink.enter("/connect linear --as");
  await ink.sees("Specify a name for --as: /connect jira --as NAME.");
  ink.enter("/connect linear --as work");
  const screen = await ink.shows("To connect linear@work:");
  expect(screen).toContain("Adding Linear (work), the MCP server at https://mcp.linear.app/mcp.");
  await ink.sees("[esc]");
  const [link = ""] = ink.raw().match(/(?<=\n)http\S+(?=\r?\n)/) ?? [];
  await ann.place.backend.fetch(new Request(login?.consent(link) ?? ""));
  await ink.shows("Approve the tools of Linear (work)?");
  expect(await ink.all()).toContain("write        linear@work.add_note");
  ink.type("2\r");
  await ink.shows("Approved 4 tools of linear@work.");
  expect((await ink.leave()).exit).toBe(0);
  expect((await ann("tools list --service linear@work")).stdout).toMatch(/^linear@work\.add_note/m);
});
