import { readdirSync, readFileSync, statSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { toKeychainProblem } from "#client/credentials/keychain";
import { realClock } from "#test/client-clock";
import { ORIGIN, openProfile, signInThenChange } from "#test/credentials";

const SIGN_IN = { session_id: "kaysession_1", token: "T0", refresh_token: "R0" };
const NEXT = { ...SIGN_IN, token: "T1", refresh_token: "R1" };

async function openSignedIn() {
  const profile = openProfile();
  await profile.credentials.write(ORIGIN, 0, SIGN_IN);
  const folder = dirname(profile.path);
  return { ...profile, list: () => readdirSync(folder).sort(), folder };
}

test("F2 the result of a spent secret is written into the space reserved before", async () => {
  const { credentials, path, folder, list } = await openSignedIn();
  let room = 0;
  await credentials.withRoom(async () => {
    const file = list().find((name) => /\.[0-9a-f]{12}\.room$/.test(name)) ?? "";
    const { ino, size } = statSync(join(folder, file));
    expect(size).toBeGreaterThan(2 * statSync(path).size);
    room = ino;
    await credentials.write(ORIGIN, 1, NEXT);
  });
  expect(statSync(path).ino).toBe(room);
  expect(JSON.parse(readFileSync(path, "utf8")).origins[ORIGIN]).toEqual(NEXT);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(list()).toEqual(["default.json"]);
});

test("F2 unused space is released, even when the work fails", async () => {
  const { credentials, list } = await openSignedIn();
  await expect(credentials.withRoom(() => Promise.reject(new Error("own")))).rejects.toThrow("own");
  expect(list()).toEqual(["default.json"]);
});

test("F2 a concurrent writer loses nothing, and neither does this one", async () => {
  const { credentials, list } = await openSignedIn();
  await credentials.withRoom(async () => {
    await credentials.update("https://other.example.test", () => SIGN_IN);
    await credentials.update(ORIGIN, () => NEXT);
  });
  expect(await credentials.origins()).toEqual({ [ORIGIN]: NEXT, "https://other.example.test": SIGN_IN });
  expect(list()).toEqual(["default.json"]);
});

test("F2 reserved writes can overlap", async () => {
  const { credentials, list } = await openSignedIn();
  const services = ["a", "b", "c"].map((name) => `https://${name}.example.test`);
  await Promise.all(services.map((origin) => credentials.withRoom(() => credentials.update(origin, () => NEXT))));
  expect(Object.keys(await credentials.origins()).sort()).toEqual([...services, ORIGIN].sort());
  expect(list()).toEqual(["default.json"]);
});

test("F2 removed reserved space is not a problem", async () => {
  const { credentials, folder, list } = await openSignedIn();
  await credentials.withRoom(async () => {
    for (const name of list()) if (name.endsWith(".room")) unlinkSync(join(folder, name));
    await credentials.update(ORIGIN, () => NEXT);
  });
  expect((await credentials.read(ORIGIN)).signIn).toEqual(NEXT);
});

test("F2 the reserved space of a killed process is removed after an hour", async () => {
  const { credentials, folder, list } = await openSignedIn();
  const [old, fresh] = ["default.json.a.room", "default.json.b.room"] as const;
  for (const name of [old, fresh]) writeFileSync(join(folder, name), "");
  utimesSync(join(folder, old), new Date(), new Date(realClock.now() - 2 * 3_600_000));
  utimesSync(join(folder, fresh), new Date(), new Date(realClock.now()));
  await credentials.withRoom(async () => {});
  expect(list()).toEqual(["default.json", fresh]);
});

test("F2 a locked keychain ends the work before its secret is spent", async () => {
  const locked = await signInThenChange({ get: () => Promise.reject(toKeychainProblem({ state: "locked" })) });
  let spent = false;
  const work = locked.credentials.withRoom(async () => {
    spent = true;
  });
  await expect(work).rejects.toMatchObject({ code: "KEYCHAIN_LOCKED" });
  expect(spent).toBe(false);
});
