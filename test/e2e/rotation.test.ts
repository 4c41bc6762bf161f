import { beforeAll, expect, test } from "vitest";
import { type Home, openHome, useHome } from "#test/built/home";
import { CONNECTED, connect, gateway, letExpire, type Served, serve } from "#test/built/serve";

const backendHome = useHome();
let backend: Served;
beforeAll(async () => {
  backend = await serve(backendHome());
}, 90_000);

const data = () => `${backendHome().folder}/data/kay/serve`;

test("A01 twelve concurrent commands with an expired token make one refresh at a real backend too", {
  timeout: 90_000,
}, async () => {
  const { url, seen } = await gateway(backend.url);
  const home = openHome({ KAY_API_URL: url });
  await connect(home, "jira");
  await letExpire(home, url, data());
  const oldSignIn = await home.signedIn(url);
  const all = Array.from({ length: 12 }, () => home.run(["connections"], { limitMs: 60_000 }));
  expect(await Promise.all(all)).toEqual(Array.from({ length: 12 }, () => CONNECTED));
  expect(seen.filter((route) => route === "POST /auth/refresh")).toHaveLength(1);
  const after = await home.signedIn(url);
  expect(after.session_id).toBe(oldSignIn.session_id);
  expect(after.refresh_token).not.toBe(oldSignIn.refresh_token);
});

test("a kill -9 after the backend has rotated and before the tokens are written loses no sign-in", {
  timeout: 60_000,
}, async () => {
  let victim: ReturnType<Home["start"]> | undefined;
  const { url, seen } = await gateway(backend.url, async (route) => {
    if (route !== "POST /auth/refresh" || !victim) return "pass";
    await victim.kill("SIGKILL");
    victim = undefined;
    return "keep";
  });
  const home = openHome({ KAY_API_URL: url });
  await connect(home, "jira");
  await letExpire(home, url, data());
  const oldSignIn = await home.signedIn(url);
  victim = home.start(["connections"]);
  expect((await victim.ended).exit).toBe(137);
  expect(await home.signedIn(url)).toEqual(oldSignIn);
  expect(await home.run(["connections"])).toEqual(CONNECTED);
  expect(seen.filter((route) => route === "POST /auth/refresh")).toHaveLength(2);
  expect(await home.run(["connections"])).toEqual(CONNECTED);
});
