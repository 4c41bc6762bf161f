import { expect, test } from "vitest";
import { type CallQuestion, decideCall } from "#backend/approvals/decide";
import { noteGrantUse, peekApproval, rememberGrant } from "#backend/approvals/grants";
import { createProvenance } from "#backend/approvals/provenance";
import { createConversation } from "#backend/store/conversations";
import { insertInstallation } from "#backend/store/installations";
import { putPolicies } from "#backend/store/policies";
import type { PolicyMode } from "#protocol/conversations";
import { NOON, useBackend } from "#test/backend";

const world = useBackend();
const BEFORE = "confirm_before_execution";
const SEND: CallQuestion["tool"] = {
  name: "slack.send_message",
  service: "slack",
  access: "write",
  resource: ({ channel }) => `to ${channel}`,
  chooseMode: ({ text }) => (String(text).includes("@everyone") ? BEFORE : undefined),
};
const HI = { channel: "#general", text: "hi" };

test("a write asks, offers its resource, and runs without asking once that was approved", async () => {
  const { ask, approve } = await person();
  const decision = await ask(HI);
  expect(decision).toMatchObject({
    mode: BEFORE,
    why: "a tool that changes something asks before it runs unless a policy says otherwise",
    offer: { words: "slack.send_message to #general", scopes: [{}, {}, {}] },
  });
  expect(decision.grant).toBeUndefined();
  await approve(decision, "session");
  expect(await ask({ ...HI, text: "hello" })).toMatchObject({
    mode: "auto",
    why: "you approved slack.send_message to #general",
    grant: { scope: "session", last_used_at: new Date(NOON).toISOString() },
  });
  expect(await ask({ ...HI, channel: "#random" })).toMatchObject({ mode: BEFORE });
});

test("with a policy to ask every time, no saved approval counts and none is offered", async () => {
  const { ask, approve, policy } = await person();
  await approve(await ask(HI), "always");
  await policy("slack", "ask");
  expect(await ask(HI)).toMatchObject({
    mode: BEFORE,
    why: "your policy for slack is to ask every time",
    offer: { scopes: [{ scope: "once", words: "once" }] },
  });
  await policy("slack", "reads");
  expect(await ask(HI)).toMatchObject({ mode: "auto", grant: { scope: "always" } });
});

test("an approval of a resource does not cover arguments that always ask", async () => {
  const { ask, approve } = await person();
  await approve(await ask(HI), "always");
  const loud = { ...HI, text: "@everyone" };
  const decision = await ask(loud);
  expect(decision).toMatchObject({
    mode: BEFORE,
    why: "with these arguments slack.send_message always asks before it runs",
    offer: { words: "slack.send_message with exactly these arguments" },
  });
  await approve(decision, "always");
  expect(await ask(loud)).toMatchObject({ mode: "auto" });
  expect(await ask({ ...loud, text: "@everyone!" })).toMatchObject({ mode: BEFORE });
});

test("after text of others, a policy does not cover a change of which the user said nothing", async () => {
  const { ask, policy } = await person();
  await policy("*", "everything");
  const foreign = [{ source: "KAY-3", service: "jira", text: "call it" }];
  const provenance = createProvenance({ own: ["Summarize KAY-3"], foreign });
  expect(await ask({}, { provenance })).toMatchObject({ mode: BEFORE, guarded: true });
  expect(await ask({ all: false }, { provenance })).toMatchObject({ mode: BEFORE });
  expect(await ask({ issue: "KAY-3" }, { provenance })).toMatchObject({ mode: "auto" });
  expect(await ask({}, { provenance, tool: { ...SEND, access: "read" } })).toMatchObject({ mode: "auto" });
  await policy("*", "reads");
  expect(await ask({}, { provenance, allow: ["slack.send_message"] })).toMatchObject({ mode: "auto" });
});

test("a review after the call still happens if the call was approved before", async () => {
  const { ask, approve, policy } = await person();
  const tool = { ...SEND, mode: "confirm_after_execution" as const };
  expect(await ask(HI, { tool })).toMatchObject({ mode: "confirm_after_execution" });
  await policy("*", "reads");
  await approve(await ask(HI, { tool }), "always");
  expect(await ask(HI, { tool })).toMatchObject({ mode: "confirm_after_execution", grant: { scope: "always" } });
});

test("a saved approval of a name covers only the object that had it on the card", async () => {
  const { ask, approve } = await person();
  const tool = { ...SEND, placeIsTarget: true };
  const reads = (target: string) => ({ tool, readTarget: async () => target });
  await approve(await ask(HI, { tool }), "always", "“Plan” of Dana (file 1a2b)");
  expect(await ask(HI, reads("“Plan” of Dana Demo (file 1a2b)"))).toMatchObject({ mode: "auto", grant: {} });
  expect(await ask(HI, reads("“Plan” of Mallory (file 9z9z)"))).toMatchObject({
    mode: BEFORE,
    guarded: true,
    why: "your approval of slack.send_message to #general was for another object of that name",
  });
  // The call itself then fails.
  expect(await ask(HI, reads("could not be looked up (Slack is down)"))).toMatchObject({ mode: "auto" });
});

test("an approval of a place that is wider than what the card described covers the whole place", async () => {
  const { ask, approve } = await person();
  await approve(await ask(HI), "always", "KAY-1 (issue 10001)");
  expect(await ask(HI, { readTarget: async () => "KAY-2 (issue 10002)" })).toMatchObject({ mode: "auto" });
});

test("a test of the decision leaves no trace", async () => {
  const { ask, approve, question } = await person();
  const { offer } = await approve(await ask(HI), "always");
  expect(await ask(HI, { peek: true })).toMatchObject({ mode: "auto", grant: { last_used_at: null } });
  const saved = await peekApproval(world().ports, { installationId: question.installationId, key: offer.key });
  expect(saved && (await noteGrantUse(world().ports, saved))).toMatchObject({
    last_used_at: new Date(NOON).toISOString(),
  });
});

async function person() {
  const { ports } = world();
  const installationId = `kaysession_${crypto.randomUUID()}`;
  await insertInstallation(ports.db, installationId, new Date(NOON));
  const conversation = { installationId, interactive: true, title: "A title", now: NOON };
  const conversationId = await createConversation(ports.db, conversation);
  const question = { installationId, conversationId, tool: SEND, writes: BEFORE } as const;
  return {
    question,
    ask: (input: CallQuestion["input"], more: Partial<CallQuestion> = {}) =>
      decideCall(ports, { ...question, input, ...more }),
    approve: async (decision: Awaited<ReturnType<typeof decideCall>>, scope: "session" | "always", target?: string) => {
      await rememberGrant(ports, { installationId, conversationId, scope, offer: decision.offer, target });
      return decision;
    },
    policy: (target: string, mode: PolicyMode) => putPolicies(ports.db, installationId, [{ target, mode }], NOON),
  };
}
