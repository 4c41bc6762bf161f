import { expect, test, vi } from "vitest";
import { guideBackend } from "#test/guide-backend";
import { type Ink, openInk } from "#test/ink";
import { type Machine, useKay } from "#test/kay";
import { BACKEND } from "#test/network";

const kay = useKay();

vi.setConfig({ testTimeout: 60_000 });

/** The links that a session printed, each alone on its line, oldest first. */
function links(ink: Ink): string[] {
  return [...new Set(ink.raw().match(/(?<=\n)http\S+(?=\r?\n)/g) ?? [])];
}

async function waitForLinks(ink: Ink, count: number): Promise<string[]> {
  while (links(ink).length < count) await new Promise((resolve) => setTimeout(resolve, 10));
  return links(ink);
}

/** Sends a request for Confluence, which is not connected. */
async function openAuthCard(ann: Machine, line = "ask"): Promise<Ink> {
  const ink = await openInk(ann, line);
  await ink.sees("● jira");
  ink.enter("find pages about release");
  await ink.sees("[esc] cancel the request");
  return ink;
}

test("a user who is not signed in chooses a service at the first request, which then is in the input", async () => {
  const ann = kay({ person: "stays away" });
  const ink = await openInk(ann, "ask");
  await ink.shows("You are not signed in yet. Connect a service to begin: /connect jira");
  await ink.sees("○ not signed in");
  ink.enter("show KAY-1");
  await ink.shows("You are not signed in. Connect a service, then press Enter to send your request.");
  await ink.sees("Connect which service?");
  ink.enter("jira");
  const [url = ""] = await waitForLinks(ink, 1);
  expect(await ann.place.consent(url)).toBe(200);
  await ink.shows("✓ Connected jira as Dana Demo");
  await ink.sees("● jira");
  await ink.sheds("○ not signed in");
  await ink.sees("> show KAY-1");
  ink.enter("");
  await ink.shows("jira.");
  await ink.leave();
  expect((await ann.stored()).token).toEqual(expect.any(String));
});

test("an auth card prints the whole link, and once it is allowed the same request continues", async () => {
  const ann = kay({ signedIn: true, person: "stays away" });
  const ink = await openAuthCard(ann);
  const [url = ""] = await waitForLinks(ink, 1);
  await ann.place.consent(url);
  await ink.shows("1 page about");
  const all = await ink.all();
  expect(all.split("> find pages about release")).toHaveLength(2);
  await ink.sees("● jira confluence");
  expect((await ink.leave()).exit).toBe(0);
});

test("N22 the address that a browser elsewhere could not open is pasted and sent as no message", async () => {
  const ann = kay({ signedIn: true, person: "stays away" });
  const ink = await openAuthCard(ann);
  const [url = ""] = await waitForLinks(ink, 1);
  const consent = { authorization_url: url, decision: "allow" };
  const { redirect_url } = await ann.place.control("atlassian", "POST /consent", consent);
  const address = String(redirect_url);
  ink.enter(address.replace(/state=\w+/, `state=${"0".repeat(64)}`));
  await ink.sees("That address belongs to another attempt.");
  ink.enter(address);
  await ink.shows("Address accepted.");
  await ink.shows("1 page about");
  expect(await ink.all()).not.toContain("code=");
  await ink.leave();
});

test("a connection by another process ends the card, the request continues, and the status line has it", async () => {
  const ann = kay({ signedIn: true, person: "stays away" });
  const ink = await openAuthCard(ann);
  expect((await ann("connect confluence", { person: "allows" })).exit).toBe(0);
  await ink.shows("1 page about");
  await ink.sheds("[esc] cancel");
  await ink.sees("● jira confluence");
  await ink.leave();
});

test("a denied link is reported on the card, Enter requests a new one, and that one connects", async () => {
  const ann = kay({ signedIn: true, person: "stays away" });
  const ink = await openAuthCard(ann);
  const [first = ""] = await waitForLinks(ink, 1);
  await ann.place.consent(first, { decision: "deny" });
  await ink.sees(/✗ confluence|confluence .*(denied|declined|refused)/i);
  await ink.press("\r");
  const [, second = ""] = await waitForLinks(ink, 2);
  await ann.place.consent(second);
  await ink.shows("1 page about");
  await ink.leave();
});

test("`s` continues without the service, Esc cancels the request", async () => {
  const ann = kay({ signedIn: true, person: "stays away" });
  const ink = await openAuthCard(ann);
  await ink.press("s");
  await ink.shows("continues without connecting confluence");
  await ink.shows("Answered by the offline planner");
  await ink.sheds("[esc] cancel");
  ink.enter("find pages about release");
  await ink.sees("[esc] cancel the request");
  await ink.press("\x1b");
  await ink.shows("✗ canceled: You declined to connect confluence.");
  await ink.sheds("[esc] cancel");
  expect(await ink.all()).not.toContain("1 page about");
  await ink.leave();
});

test("/connect with an unknown service says so, and waits only for the others", async () => {
  const ann = kay({ signedIn: true, person: "stays away" });
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ink.enter("/connect nope confluence");
  await ink.shows('Unknown service "nope".');
  await waitForLinks(ink, 1);
  await ink.sheds(/nope +(waiting|failed)/);
  await ink.press("\x1b");
  await ink.shows("Stopped waiting.");
  ink.enter("/connect nope");
  await ink.shows(/nope"[\s\S]*nope"/);
  await ink.sheds("[esc] cancel");
  await ink.leave();
});

test("/connect has one card for several services", async () => {
  const ann = kay({ signedIn: true, person: "stays away" });
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ink.enter("/connect confluence bitbucket");
  const [first = "", second = ""] = await waitForLinks(ink, 2);
  expect((await ink.window()).split("[esc] cancel")).toHaveLength(2);
  await ann.place.consent(second);
  await ink.shows("✓ Connected bitbucket");
  await ink.sees("[esc] cancel");
  await ann.place.consent(first);
  await ink.shows("✓ Connected confluence");
  await ink.sheds("[esc] cancel");
  await ink.sees("● jira confluence bitbucket");
  await ink.leave();
});

test("V04 an account with several sites learns how to choose one, and /connect jira --site chooses it", async () => {
  const ann = kay({ person: "stays away" });
  const dana = { accountId: "557058:dana", displayName: "Dana Demo", emailAddress: "dana@example.com" };
  const sites = ["other", "main"].map((name) => ({
    name,
    accounts: [dana.accountId],
    projects: [{ key: "KAY", name: "Kay" }],
  }));
  await ann.place.control("atlassian", "PUT /state", { accounts: [dana], sites });
  const ink = await openInk(ann, "ask", { columns: 120 });
  await ink.sees("○ not signed in");
  ink.enter("/connect jira");
  const [first = ""] = await waitForLinks(ink, 1);
  await ann.place.consent(first);
  await ink.shows(
    "Choose the Jira site to connect: other, main.\n  Connect again with `/connect <service> --site <name>`.",
  );
  await ink.press("\x1b");
  await ink.sheds("[esc] cancel");
  ink.enter("/connect jira --site main");
  const [, second = ""] = await waitForLinks(ink, 2);
  await ann.place.consent(second);
  await ink.shows("sites/main");
  await ink.leave();
});

test("a guide-only backend answers one prompt after another in a session", async () => {
  let backend: ReturnType<typeof guideBackend> | undefined;
  const ann = kay({ person: async (url) => backend?.consent(url) });
  backend = guideBackend(ann.place.clock);
  ann.place.network.serve(BACKEND, backend.fetch);
  await ann("connect jira");
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ink.enter("What can you do?");
  await ink.shows("You said: What can you do?");
  await ink.sheds("sending");
  ink.enter("And now?");
  await ink.shows("You said: And now?");
  await ink.leave();
});
