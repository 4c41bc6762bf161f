import { expect, test } from "vitest";
import { parseDocument, useKay } from "#test/kay";
import type { Reply } from "#test/network";

const kay = useKay();
const LIVES_ON = "The sign-in may remain valid at the backend until it expires.";

test("logout revokes at the backend, deletes the tokens and keeps the session ID", async () => {
  const ann = kay({ connected: ["bitbucket"] });
  await ann("whoami");
  const { session_id, token = "" } = await ann.stored();
  expect(await ann("logout")).toEqual({
    exit: 0,
    stdout: "Signed out.\n",
    stderr:
      "! kay deleted its tokens, but Bitbucket has no way to revoke them. " +
      "Remove kay's access at https://bitbucket.org/account/settings/app-authorizations/.\n",
  });
  expect(await ann.stored()).toEqual({ session_id });
  expect(await ann("whoami")).toMatchObject({ exit: 4 });
  await ann.store({ session_id, token });
  expect(await ann("whoami")).toMatchObject({ exit: 4 });
});

test.for<[string, Reply, string]>([
  ["401", { status: 401, json: { error: "TOKEN_INVALID", message: "x" } }, ""],
  ["nothing listens", "refused", `! Cannot reach http://127.0.0.1:4000 (ECONNREFUSED). ${LIVES_ON}\n`],
  [
    "500",
    { status: 500, json: { error: "INTERNAL", message: "Something went wrong." } },
    `! Something went wrong. ${LIVES_ON}\n`,
  ],
  ["silence", "hang", `! The backend did not answer the logout within 5 s. ${LIVES_ON}\n`],
])("A26 logout signs out on this machine whatever the backend answers: %s", async ([, reply, stderr]) => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  const { session_id } = await ann.stored();
  ann.place.network.on("POST /auth/logout", reply);
  const begun = ann.place.clock.now();
  expect(await ann("logout")).toEqual({ exit: 0, stdout: "Signed out.\n", stderr });
  expect(ann.place.clock.now() - begun).toBeLessThanOrEqual(5_000);
  expect(await ann.stored()).toEqual({ session_id });
});

test("A26 logout --json includes the warning", async () => {
  const ann = kay({ signedIn: true });
  ann.place.network.on("POST /auth/logout", "refused");
  const { exit, stdout, stderr } = await ann("logout --json");
  expect({ exit, document: parseDocument({ stdout }), stderr }).toEqual({
    exit: 0,
    document: {
      signed_out: true,
      revoked: false,
      warnings: [`Cannot reach http://127.0.0.1:4000 (ECONNREFUSED). ${LIVES_ON}`],
    },
    stderr: "",
  });
});

test("logout with a sign-in that has ended still signs out", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  ann.place.clock.advance(365 * 24 * 3_600_000);
  expect(await ann("logout")).toEqual({ exit: 0, stdout: "Signed out.\n", stderr: "" });
});

test("logout without a sign-in has nothing to do", async () => {
  const ann = kay();
  expect(await ann("logout")).toEqual({ exit: 0, stdout: "You were not signed in.\n", stderr: "" });
  expect(parseDocument(await ann("logout --json"))).toEqual({
    signed_out: true,
    revoked: false,
    message: "You were not signed in.",
  });
});

test("logout never asks, and the next connection continues with the same installation", async () => {
  const ann = kay({ signedIn: true });
  await ann("logout", { terminal: true });
  const { session_id } = await ann.stored();
  expect(await ann("connect jira")).toMatchObject({ exit: 0 });
  expect(await ann.stored()).toMatchObject({ session_id, token: expect.any(String) });
});
