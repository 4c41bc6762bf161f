import { expect, test } from "vitest";
import { useBackend } from "#test/backend";
import { ANN, BOB, connect, MAIN, OTHER } from "#test/consent";

const world = useBackend();
const BOTH = { sites: [OTHER, MAIN] };
const CHOICES = [
  { name: "other", url: "https://other.example.test" },
  { name: "main", url: "https://main.example.test" },
];

const readConnection = async (session: string, service = "jira") => {
  const { body } = await world().call(`GET /connections?session_id=${session}`);
  return (body.connections as Record<string, { connected: boolean; metadata?: object }>)[service];
};

test("V04 several sites without a choice fail with the list, and nothing is connected", async () => {
  const { session, page, status } = await connect(world(), {}, BOTH);
  expect(status.body).toEqual({
    status: "failed",
    code: "SITE_REQUIRED",
    message: "Choose the Jira site to connect: other, main.",
    sites: CHOICES,
  });
  expect([page.status, page.text.includes("Choose the Jira site to connect: other, main.")]).toEqual([400, true]);
  expect(await readConnection(session)).toEqual({ connected: false });
});

test("V04 a site is chosen by name, host, URL or short host, and shown by GET /connections", async () => {
  for (const site of [
    "main",
    "MAIN",
    "main.example.test",
    "https://main.example.test",
    "https://main.example.test/jira",
  ]) {
    const { session, status } = await connect(world(), { site }, BOTH);
    expect([site, status.body.status]).toEqual([site, "completed"]);
    expect(await readConnection(session)).toMatchObject({
      connected: true,
      metadata: { url: "https://main.example.test", cloud_id: "c-main" },
    });
  }
});

test("V04 a site that the token does not cover is never replaced by another", async () => {
  const several = await connect(world(), { site: "elsewhere" }, BOTH);
  expect(several.status.body).toMatchObject({ status: "failed", code: "SITE_REQUIRED", sites: CHOICES });
  const single = await connect(world(), { site: "main" }, { sites: [OTHER] });
  expect(single.status.body).toMatchObject({ status: "failed", code: "SITE_REQUIRED", sites: [CHOICES[0]] });
  expect(await readConnection(single.session)).toEqual({ connected: false });
});

test("V04 two sites with the same name are not distinguished by it", async () => {
  const twin = { ...MAIN, id: "c-twin", url: "https://twin.example.test" };
  const { status } = await connect(world(), { site: "main" }, { sites: [MAIN, twin] });
  expect(status.body).toMatchObject({ status: "failed", code: "SITE_REQUIRED" });
});

test("V04 a single site needs no choice, and the right choice is accepted", async () => {
  for (const body of [{}, { site: "main" }, { site: "main.example.test" }]) {
    const { session } = await connect(world(), body);
    expect(await readConnection(session)).toMatchObject({ connected: true, metadata: { cloud_id: "c-main" } });
  }
});

test("V04 the user is asked once: reconnecting keeps the site, another account does not", async () => {
  const { session, token } = await connect(world(), { site: "main" }, BOTH);
  const again = await connect(world(), { session_id: session }, BOTH);
  expect(again.status.body).toMatchObject({ status: "completed" });
  expect(await readConnection(session)).toMatchObject({ metadata: { cloud_id: "c-main" } });
  const bob = await connect(world(), { session_id: session }, { ...BOTH, account: BOB, token });
  expect(bob.status.body).toMatchObject({ code: "SITE_REQUIRED" });
  const moved = await connect(world(), { session_id: session, site: "other" }, { ...BOTH, account: ANN });
  expect(moved.status.body).toMatchObject({ status: "completed" });
  expect(await readConnection(session)).toMatchObject({ metadata: { cloud_id: "c-other" } });
});

test("V04 each service has a separate choice", async () => {
  const { session } = await connect(world(), { site: "main" }, BOTH);
  const { status } = await connect(world(), { session_id: session }, { ...BOTH, service: "confluence" });
  expect(status.body).toMatchObject({ status: "failed", code: "SITE_REQUIRED" });
});
