import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose";
import { expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { useBackend } from "#test/backend";
import { connect } from "#test/consent";

const world = useBackend();

const TOKEN_MISSING = {
  error: "TOKEN_MISSING",
  code: "TOKEN_MISSING",
  message: "No Authorization header or invalid format",
};

test("a request without a usable Authorization header gets the guide's TOKEN_MISSING body", async () => {
  for (const authorization of [undefined, "", "Basic abc", "Bearer", "Bearer ", "Bearer a b", "token"]) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer = await world().call("GET /connections", { headers });
    expect([answer.status, answer.body]).toEqual([401, TOKEN_MISSING]);
  }
});

test("an access token is valid for 30 minutes", async () => {
  const { token } = await connect(world());
  world().clock.advance(30 * 60_000 - 1000);
  expect((await world().call("GET /connections", { token })).status).toBe(200);
  world().clock.advance(1000);
  expect(await world().call("GET /connections", { token })).toMatchObject({
    status: 401,
    body: { code: "TOKEN_EXPIRED" },
  });
});

test("an access token is HS256 with kid, and carries installation and family", async () => {
  const { token, session } = await connect(world());
  const [header, payload] = [decodeProtectedHeader(token), decodeJwt(token)];
  expect(header).toEqual({ alg: "HS256", typ: "JWT", kid: "s1" });
  expect(payload).toMatchObject({
    sub: deriveInstallationId(session),
    aud: new URL(world().ports.publicUrl).origin,
    sid: expect.stringMatching(/^family_[0-9a-f]{32}$/),
    exp: Number(payload.iat) + 1800,
  });
});

test("a token of this backend with additional claims is accepted", async () => {
  const { token } = await connect(world());
  const claims = decodeJwt(token);
  const extended = await new SignJWT({ ...claims, aud: [String(claims.aud), "other"], nbf: claims.iat })
    .setProtectedHeader({ alg: "HS256", kid: "s1" })
    .sign(world().ports.keys.signing[0].key);
  expect((await world().call("GET /connections", { token: extended })).status).toBe(200);
});

test("tokens that this backend did not sign are TOKEN_INVALID", async () => {
  const { token, session } = await connect(world());
  const [header = "", payload = ""] = token.split(".");
  const none = Buffer.from(JSON.stringify({ alg: "none", kid: "s1" })).toString("base64url");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const sign = (key: Uint8Array, kid: string, body: object) =>
    new SignJWT({ ...body }).setProtectedHeader({ alg: "HS256", kid }).sign(key);
  const signingKey = world().ports.keys.signing[0].key;
  const forged = [
    "opaque",
    `${header}.${payload}.`,
    `${none}.${payload}.`,
    await sign(new Uint8Array(32).fill(9), "s1", claims),
    await sign(signingKey, "other", claims),
    await sign(signingKey, "s1", { ...claims, sub: "kaysession_1_other" }),
    await sign(signingKey, "s1", { ...claims, sid: "family_unknown" }),
    await sign(signingKey, "s1", { ...claims, aud: "https://staging.example.test" }),
    await sign(signingKey, "s1", { ...claims, aud: undefined }),
    await sign(signingKey, "s1", { ...claims, iss: "other" }),
    await sign(signingKey, "s1", { ...claims, nbf: claims.exp }),
    await sign(signingKey, "s1", { ...claims, exp: String(claims.exp) }),
    `${token}.${payload}`,
    `${token}A`,
    await sign(signingKey, "s1", { sub: deriveInstallationId(session), iss: "kay", iat: claims.iat, exp: claims.exp }),
  ];
  for (const each of forged) {
    expect(await world().call("GET /connections", { token: each })).toMatchObject({
      status: 401,
      body: { code: "TOKEN_INVALID" },
    });
  }
});
