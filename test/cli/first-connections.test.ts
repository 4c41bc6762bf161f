import { expect, test } from "vitest";
import { type Machine, parseDocument, useKay } from "#test/kay";

const kay = useKay();

type BegunConnection = { state: string; session_id: string; authorization_url: string };

async function begin(ann: Machine, service: string): Promise<BegunConnection> {
  await ann(`connect ${service} --no-wait --json`, { person: "stays away" });
  return parseDocument(ann.raw()) as BegunConnection;
}

const getConnections = async (ann: Machine) => (await ann("connections")).stdout;

test("A24 two concurrent first connects belong to one installation, and both are kept", async () => {
  const ann = kay();
  const [jira, confluence] = await Promise.all([ann("connect jira"), ann("connect confluence")]);
  expect([jira.exit, confluence.exit]).toEqual([0, 0]);
  expect(await getConnections(ann)).toMatch(/^jira\tconnected\t[\s\S]*^confluence\tconnected\t/m);
  expect(await ann.stored()).toEqual({
    session_id: expect.any(String),
    token: expect.any(String),
    refresh_token: expect.any(String),
    account_id: expect.any(String),
    clock_offset_ms: expect.any(Number),
    accounts: expect.any(Object),
  });
});

test("A24 two first connects that are finished later are both kept", async () => {
  const ann = kay();
  const begun = [await begin(ann, "jira"), await begin(ann, "confluence")] as const;
  expect(begun[1].session_id).toBe(begun[0].session_id);
  for (const { authorization_url } of begun) await ann.place.consent(authorization_url);
  for (const [index, service] of ["jira", "confluence"].entries())
    expect(await ann(`connect ${service} --poll ${begun[index]?.state}`)).toMatchObject({ exit: 0 });
  expect(await getConnections(ann)).toMatch(/^jira\tconnected\t[\s\S]*^confluence\tconnected\t/m);
});

test("A24 a denied first connect leaves the installation to the other one", async () => {
  const ann = kay();
  const jira = await begin(ann, "jira");
  expect(await ann("connect confluence", { person: "denies" })).toMatchObject({ exit: 5 });
  expect(await ann.stored()).toMatchObject({ session_id: jira.session_id });
  await ann.place.consent(jira.authorization_url);
  expect(await ann(`connect jira --poll ${jira.state}`)).toMatchObject({ exit: 0 });
  expect(await getConnections(ann)).toMatch(/^jira\tconnected\t/m);
});

test("A27 the installation is stored before the consent, so a kill while waiting loses nothing", async () => {
  const ann = kay();
  const { session_id } = await begin(ann, "jira");
  expect(await ann.stored()).toMatchObject({ session_id });
});

test("A27 after a reset the new installation is stored at once, and the old tokens are deleted", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  const oldSignIn = await ann.stored();
  await ann.store({ ...oldSignIn, session_id: "kaysession_1_00000000000000000000000000000000" });
  const { session_id } = await begin(ann, "jira");
  const now = await ann.stored();
  expect([now.session_id, now.token, now.refresh_token]).toEqual([session_id, undefined, undefined]);
});
