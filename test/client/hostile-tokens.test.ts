import { expect, test } from "vitest";
import { normalizeSignIn } from "#client/credentials/envelope";
import { useKay } from "#test/kay";

const kay = useKay();

test.for([["a\u0000b"], ["a\r\nX-Other: b"], ["a b"], ["tokén"], [" "], ["undefined"]])(
  "a refresh that returns %j as its token leaves stored data unchanged, and is temporary",
  async ([token = ""]) => {
    const ann = kay({ signedIn: true });
    await ann("config path");
    const oldSignIn = await ann.stored();
    ann.place.network.on("GET /connections", { status: 401, json: { error: "TOKEN_EXPIRED", message: "x" } });
    ann.place.network.on("POST /auth/refresh", { json: { token, refresh_token: "R1" } });
    expect(await ann("connections")).toMatchObject({ exit: 6, stdout: "" });
    expect(await ann.stored()).toEqual(oldSignIn);
  },
);

test("a stored token that does not fit in a header counts as missing, so that a refresh replaces it", () => {
  const signIn = { session_id: "kaysession_1", token: "a\r\nb", refresh_token: "R1", account_id: "Ünal Ä" };
  expect(normalizeSignIn(signIn)).toEqual({ session_id: "kaysession_1", refresh_token: "R1", account_id: "Ünal Ä" });
});
