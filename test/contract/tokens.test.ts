import { expect, test } from "vitest";
import { useTarget } from "./target.ts";

// The integration guide, "Token Refresh", "POST /auth/logout" and "Error Handling".

const target = useTarget();

test("a refresh returns a new pair, both of which work", async () => {
  const { guide, signIn } = target();
  const first = await signIn();
  const { status, body } = await guide.refresh(first.refresh_token);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refresh_token: expect.stringMatching(/^[0-9a-f]{32,}$/),
      message: "Token refreshed successfully",
    },
  });
  expect(body.refresh_token).not.toBe(first.refresh_token);
  expect((await guide.connections({ token: String(body.token) })).status).toBe(200);
  expect((await guide.refresh(String(body.refresh_token))).status).toBe(200);
});

test("a refresh token is invalid once its successor was used", async () => {
  const { guide, signIn } = target();
  const first = await signIn();
  const second = await guide.refresh(first.refresh_token);
  expect((await guide.refresh(String(second.body.refresh_token))).status).toBe(200);
  expect((await guide.refresh(first.refresh_token)).status).toBe(401);
});

test("an unknown refresh token is unauthorized, and a missing one is a bad request", async () => {
  const { guide } = target();
  expect((await guide.refresh("a1b2c3d4e5f6")).status).toBe(401);
  expect((await guide.post("/auth/refresh", {})).status).toBe(400);
});

test("a body that is not JSON is a bad request", async () => {
  const { guide } = target();
  expect((await guide.post("/auth/refresh", "refresh_token")).status).toBe(400);
});

test("logout ends the sign-in with both its tokens", async () => {
  const { guide, signIn } = target();
  const { token, refresh_token } = await signIn();
  expect(await guide.logout(token)).toMatchObject({ status: 200, body: { message: "Logged out successfully" } });
  expect((await guide.connections({ token })).status).toBe(401);
  expect((await guide.refresh(refresh_token)).status).toBe(401);
});

test("logout without a token is unauthorized", async () => {
  expect(await target().guide.logout()).toMatchObject({ status: 401, body: { error: "TOKEN_MISSING" } });
});

test("after a logout a connection with the same session returns new tokens", async () => {
  const { guide, signIn, signInAgain } = target();
  const { token, session_id } = await signIn();
  await guide.logout(token);
  const again = await signInAgain(session_id);
  expect(again.session_id).toBe(session_id);
  expect((await guide.connections({ token: again.token })).status).toBe(200);
});
