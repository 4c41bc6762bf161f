import { expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { rememberGrant, toGrantOffer } from "#backend/approvals/grants";
import { toAccount } from "#backend/approvals/scope";
import { createConversation } from "#backend/store/conversations";
import { findGrant } from "#backend/store/grants";
import { NOON, useBackend } from "#test/backend";
import { connect, OTHER } from "#test/consent";
import { deskServices } from "#test/desk";

const world = useBackend({ services: deskServices([]) });
const KAY_3 = { issue: "KAY-3" };
const WORDS = "jira.close_issue with exactly these arguments as Ann Example (main)";

test("approvals need a bearer token", async () => {
  for (const request of ["GET /approvals", "DELETE /approvals", "DELETE /approvals/x", "POST /approvals/test"])
    expect(await world().call(request)).toMatchObject({ status: 401, body: { code: "TOKEN_MISSING" } });
});

test("every approval is listed with its exact words, and can be revoked", async () => {
  const { token, approve, conversationId } = await ann();
  expect(await list(token)).toEqual([]);
  const { id } = await approve("session");
  const approval = {
    id,
    scope: "session",
    tool: "jira.close_issue",
    words: WORDS,
    account: "Ann Example (main)",
    session_id: conversationId,
    created_at: new Date(NOON).toISOString(),
    expires_at: new Date(NOON + 86_400_000).toISOString(),
    last_used_at: null,
  };
  expect(await list(token)).toEqual([approval]);
  const stranger = await ann();
  expect(await world().call(`DELETE /approvals/${id}`, { token: stranger.token })).toMatchObject({
    status: 404,
    body: { code: "APPROVAL_NOT_FOUND" },
  });
  const revoked = await world().call(`DELETE /approvals/${id}`, { token });
  expect([revoked.status, revoked.body]).toEqual([200, { revoked: [approval] }]);
  expect((await world().call(`DELETE /approvals/${id}`, { token })).status).toBe(404);
  expect(await list(token)).toEqual([]);
});

test("all approvals of a tool or service are revoked together, and an unknown one is refused with the nearest name", async () => {
  const { token, approve } = await ann();
  for (const target of ["jira.close_issue", "jira", "*"]) {
    await approve("always");
    const { body } = await world().call(`DELETE /approvals?target=${target}`, { token });
    expect(body.revoked).toMatchObject([{ tool: "jira.close_issue", scope: "always" }]);
  }
  await approve("always");
  expect((await world().call("DELETE /approvals?target=slack", { token })).body).toEqual({ revoked: [] });
  expect(await world().call("DELETE /approvals?target=jra", { token })).toMatchObject({
    status: 400,
    body: { nearest: "jira" },
  });
  expect(await world().call("DELETE /approvals", { token })).toMatchObject({ status: 400, body: { field: "target" } });
  expect(await list(token)).toHaveLength(1);
});

test("a test says whether a call would ask, and why, and leaves no trace", async () => {
  const { token, approve, conversationId } = await ann();
  const testCall = async (tool: string, more: object = {}) =>
    (await world().call("POST /approvals/test", { token, body: { tool, ...more } })).body;
  const asks = "A tool that changes something asks before it runs unless a policy says otherwise.";
  expect(await testCall("jira.show_issue", { input: KAY_3 })).toEqual({
    asks: false,
    why: "A tool that only reads runs without asking.",
  });
  expect(await testCall("jira.close_issue")).toEqual({ asks: true, why: asks });
  expect(await testCall("jira.delete_issue")).toEqual({
    asks: true,
    why: "A change that cannot be undone asks before it runs.",
  });
  const grant = await approve("session");
  const here = { input: KAY_3, session_id: conversationId };
  expect(await testCall("jira.close_issue", here)).toEqual({ asks: false, why: `You approved ${WORDS}.`, grant });
  expect(await testCall("jira.close_issue", { input: KAY_3 })).toEqual({ asks: true, why: asks });
  expect(await testCall("jira.close_issue", { ...here, input: { issue: "KAY-4" } })).toEqual({ asks: true, why: asks });
  expect(await list(token)).toEqual([grant]);
  await world().call("PUT /policies", { token, body: { policies: [{ target: "jira", mode: "ask" }] } });
  const policy = "Your policy for jira is to ask every time.";
  for (const tool of ["jira.show_issue", "jira.close_issue"])
    expect(await testCall(tool, here)).toEqual({ asks: true, why: policy });
});

test("G06 an approval does not count for another site of the same person", async () => {
  const { token, session, approve, conversationId } = await ann();
  await approve("always");
  const test = { tool: "jira.close_issue", input: KAY_3, session_id: conversationId };
  expect((await world().call("POST /approvals/test", { token, body: test })).body.asks).toBe(false);
  await world().call("POST /connections/disconnect?service=jira", { token });
  await connect(world(), { session_id: session }, { sites: [OTHER] });
  expect((await world().call("POST /approvals/test", { token, body: test })).body.asks).toBe(true);
});

test("a test of an unknown tool, an invalid input, or another user's session is refused", async () => {
  const { token } = await ann();
  const stranger = await ann();
  const testCall = (body: object) => world().call("POST /approvals/test", { token, body });
  expect(await testCall({ tool: "jira.close_isue" })).toMatchObject({
    status: 404,
    body: { nearest: "jira.close_issue" },
  });
  expect(await testCall({ tool: "jira.close_issue", input: {} })).toMatchObject({
    status: 400,
    body: { field: "issue" },
  });
  const foreign = { tool: "jira.close_issue", input: KAY_3, session_id: stranger.conversationId };
  expect(await testCall(foreign)).toMatchObject({ status: 404, body: { code: "SESSION_NOT_FOUND" } });
});

async function list(token: string) {
  return (await world().call("GET /approvals", { token })).body.approvals;
}

/** Ann with jira and a conversation, who may approve closing KAY-3. */
async function ann() {
  const { ports } = world();
  const { token, session } = await connect(world());
  const conversation = {
    installationId: deriveInstallationId(session),
    interactive: true,
    title: "A title",
    now: NOON,
  };
  const conversationId = await createConversation(ports.db, conversation);
  const approve = async (scope: "session" | "always") => {
    const connection = await findGrant(ports.db, deriveInstallationId(session), "jira");
    if (!connection) throw new Error("jira is connected");
    const account = toAccount(connection);
    const offer = toGrantOffer({ tool: "jira.close_issue", input: KAY_3, account, access: "write" });
    const grant = await rememberGrant(ports, {
      installationId: deriveInstallationId(session),
      conversationId,
      scope,
      offer,
    });
    return grant ?? { id: "" };
  };
  return { token, session, conversationId, approve };
}
