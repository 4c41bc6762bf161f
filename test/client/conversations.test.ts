import { expect, test } from "vitest";
import { catchProblem } from "#test/client-api";
import { streamWorld } from "#test/stream-world";

const SESSION = { id: "s/1", title: "T", created_at: "x", updated_at: "x", last_event: 3 };
const GENERATION = { id: "g1", session_id: "s/1", status: "running" };

/** Method, path with its query, body, and whether the request has an Idempotency-Key. */
function requests({ network }: ReturnType<typeof streamWorld>) {
  return network.seen.map(({ method, url, body, headers }) => {
    const { pathname, search } = new URL(url);
    return [`${method} ${pathname}${search}`, body, headers?.["Idempotency-Key"] !== undefined];
  });
}

test("conversations are listed, read, renamed and deleted", async () => {
  const world = streamWorld();
  const { api, network } = world;
  const list = { data: [SESSION], page: 2, limit: 5, total: 6, has_more: false };
  network.on("GET /sessions", { json: list }, { json: SESSION });
  network.on("PATCH /sessions/s%2F1", { json: { ...SESSION, title: "U" } });
  network.on("DELETE /sessions/s%2F1", { status: 204 });
  expect(await api.sessions({ page: 2, limit: 5 })).toEqual(list);
  expect(await api.session("s/1")).toEqual(SESSION);
  expect(await api.renameSession("s/1", "U")).toEqual({ ...SESSION, title: "U" });
  expect(await api.deleteSession("s/1")).toBe(undefined);
  expect(requests(world)).toEqual([
    ["GET /sessions?page=2&limit=5", undefined, false],
    ["GET /sessions/s%2F1", undefined, false],
    ["PATCH /sessions/s%2F1", { title: "U" }, true],
    ["DELETE /sessions/s%2F1", undefined, true],
  ]);
  network.settled();
});

test("open requests are listed and answered, and a generation is queried, continued and cancelled", async () => {
  const world = streamWorld();
  const { api, network } = world;
  const answer = { interaction_id: "i1", action: "approve", session_id: "s1", generation_id: "g1" };
  network.on("GET /pending", { json: { pending: [] } });
  network.on("PUT /sessions/s1/clients/c1", { json: {} });
  network.on("POST /sessions/s1/interactions/i1", { json: answer });
  network.on("GET /generations/g1", { json: GENERATION });
  network.on("POST /generations/g1/auth", { json: GENERATION });
  network.on("POST /generations/g1/cancel", { json: { ...GENERATION, status: "cancelled" } });
  const mode = { interaction: { supported: true, enabled: true } };
  expect(await api.pending()).toEqual([]);
  expect(await api.setClient("s1", "c1", mode)).toBe(undefined);
  expect(await api.answerInteraction("s1", "i1", { action: "approve", approval_scope: "once" })).toEqual(answer);
  expect(await api.generation("g1")).toEqual(GENERATION);
  expect(await api.answerAuth("g1", { integration: "slack", success: true })).toEqual(GENERATION);
  expect(await api.cancelGeneration("g1")).toMatchObject({ status: "cancelled" });
  expect(requests(world)).toEqual([
    ["GET /pending", undefined, false],
    ["PUT /sessions/s1/clients/c1", mode, true],
    ["POST /sessions/s1/interactions/i1", { action: "approve", approval_scope: "once" }, true],
    ["GET /generations/g1", undefined, false],
    ["POST /generations/g1/auth", { integration: "slack", success: true }, true],
    ["POST /generations/g1/cancel", {}, true],
  ]);
  network.settled();
});

test("policies and saved approvals are read and changed", async () => {
  const world = streamWorld();
  const { api, network } = world;
  const policies = [{ target: "slack", mode: "reads" }];
  const approvals = [{ id: "a1", scope: "always", tool: "t", words: "w", created_at: "x", expires_at: null }];
  network.on("GET /policies", { json: { policies } });
  network.on("PUT /policies", { json: { policies: [] } });
  network.on("GET /approvals", { json: { approvals } });
  network.on("POST /approvals/test", { json: { asks: true, why: "It writes." } });
  network.on("DELETE /approvals/a1", { json: {} });
  expect(await api.policies()).toEqual({ policies });
  expect(await api.putPolicies({ policies: [{ target: "slack", mode: null }] })).toEqual({ policies: [] });
  expect(await api.approvals()).toEqual(approvals);
  expect(await api.testApproval({ tool: "slack.send_message" })).toEqual({ asks: true, why: "It writes." });
  expect(await api.revokeApproval("a1")).toBe(undefined);
  expect(requests(world)).toEqual([
    ["GET /policies", undefined, false],
    ["PUT /policies", { policies: [{ target: "slack", mode: null }] }, true],
    ["GET /approvals", undefined, false],
    ["POST /approvals/test", { tool: "slack.send_message" }, false],
    ["DELETE /approvals/a1", undefined, true],
  ]);
  network.settled();
});

test("a basic backend has no open requests", async () => {
  const { api, network } = streamWorld();
  network.on("GET /pending", { status: 404, json: { error: "Not found" } });
  expect(await api.pending()).toBe(null);
});

test("an interaction that another client answered first is INTERACTION_CLOSED with the winning answer", async () => {
  const { api, network } = streamWorld();
  const answer = { interaction_id: "i1", action: "deny", client: "desk" };
  network.on("POST /sessions/s1/interactions/i1", {
    status: 409,
    json: { error: "INTERACTION_CLOSED", code: "INTERACTION_CLOSED", message: "It was denied.", answered: answer },
  });
  expect(await catchProblem(api.answerInteraction("s1", "i1", { action: "approve" }))).toMatchObject({
    code: "INTERACTION_CLOSED",
    message: "It was denied.",
    details: { answered: answer },
  });
});

test("H13 an answer to an interaction that a gateway swallows is looked up, never sent again", async () => {
  const { api, network } = streamWorld();
  network.on("POST /sessions/s1/interactions/i1", {
    status: 504,
    text: "<html><h1>504 Gateway Time-out</h1></html>",
  });
  network.on("GET /requests/", { status: 404, json: { error: "NOT_FOUND", message: "x" } });
  expect(await catchProblem(api.answerInteraction("s1", "i1", { action: "approve" }))).toMatchObject({
    code: "OUTCOME_UNKNOWN",
    hint: "Check whether it took effect before you retry.",
  });
  expect(network.calls()).toEqual(["POST /sessions/s1/interactions/i1", "GET /requests/…"]);
});
