import { expect, test } from "vitest";
import { createWorld, useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";

const world = useBackend({ services: deskServices([]) });

test("policies need a bearer token", async () => {
  for (const request of ["GET /policies", "PUT /policies"])
    expect(await world().call(request)).toMatchObject({ status: 401, body: { code: "TOKEN_MISSING" } });
});

test("policies are set together, changed, and removed with null; they are listed with everything first, then by name", async () => {
  const { token } = await connect(world());
  expect((await world().call("GET /policies", { token })).body).toEqual({ policies: [] });
  const set = await put(token, [
    { target: "slack", mode: "ask" },
    { target: "jira.close_issue", mode: "everything" },
    { target: "*", mode: "reads" },
  ]);
  const policies = [
    { target: "*", mode: "reads" },
    { target: "jira.close_issue", mode: "everything" },
    { target: "slack", mode: "ask" },
  ];
  expect([set.status, set.body]).toEqual([200, { policies }]);
  expect((await world().call("GET /policies", { token })).body).toEqual({ policies });
  const changed = await put(token, [
    { target: "slack", mode: "everything" },
    { target: "*", mode: null },
    { target: "jira", mode: null },
  ]);
  expect(changed.body).toEqual({
    policies: [
      { target: "jira.close_issue", mode: "everything" },
      { target: "slack", mode: "everything" },
    ],
  });
  const stranger = await connect(world());
  expect((await world().call("GET /policies", { token: stranger.token })).body).toEqual({ policies: [] });
});

test.for([
  ["slak", "slack"],
  ["Jira", "jira"],
  ["close_issue", "jira.close_issue"],
  ["jira.close_isue", "jira.close_issue"],
  ["nothing at all like it", undefined],
  ["", undefined],
] as const)("a policy for “%s” is refused, and the nearest name is %s", async ([target, nearest]) => {
  const { token } = await connect(world());
  const answer = await put(token, [
    { target: "slack", mode: "ask" },
    { target, mode: "ask" },
  ]);
  const message = `No service or tool is called “${target}”.${nearest ? ` Did you mean ${nearest}?` : ""}`;
  const hint = "Run `kay tools list` to see every service and tool; `*` is all of them.";
  expect([answer.status, answer.body]).toEqual([
    400,
    { error: "INVALID_REQUEST", code: "INVALID_REQUEST", message, hint, target, ...(nearest ? { nearest } : {}) },
  ]);
  expect((await world().call("GET /policies", { token })).body).toEqual({ policies: [] });
});

test("a duplicate target, an unknown mode, and a body without policies are refused", async () => {
  const { token } = await connect(world());
  const twice = await put(token, [
    { target: "jira", mode: "ask" },
    { target: "jira", mode: null },
  ]);
  expect(twice).toMatchObject({ status: 400, body: { message: "The request names jira twice.", target: "jira" } });
  expect(await put(token, [{ target: "jira", mode: "never" }])).toMatchObject({
    status: 400,
    body: { field: "policies.0.mode" },
  });
  expect(await world().call("PUT /policies", { token, body: {} })).toMatchObject({ status: 400 });
  expect((await world().call("GET /policies", { token })).body).toEqual({ policies: [] });
});

test("a policy for a service that is gone can be removed, not changed", async () => {
  const { token } = await connect(world());
  await put(token, [{ target: "jira.close_issue", mode: "ask" }]);
  const services = world().ports.services.filter(({ service }) => service.name !== "jira");
  const later = createWorld({ ...world().ports, services });
  const change = (mode: string | null) =>
    later.call("PUT /policies", { token, body: { policies: [{ target: "jira.close_issue", mode }] } });
  expect((await change("reads")).status).toBe(400);
  expect((await change(null)).body).toEqual({ policies: [] });
});

function put(token: string, policies: { target: string; mode: string | null }[]) {
  return world().call("PUT /policies", { token, body: { policies } });
}
