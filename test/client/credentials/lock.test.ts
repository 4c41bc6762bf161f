import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { withLock } from "#files/lock";
import { createProcesses } from "#files/processes";
import { fakeClock } from "#test/client-clock";
import { openProfile, thisProcess } from "#test/credentials";

/** A profile with a lock file of this content. */
function createLockedProfile(content: object | string, clock = fakeClock()) {
  const profile = openProfile({ clock });
  mkdirSync(dirname(profile.path), { mode: 0o700 });
  const lock = profile.path.replace("json", "lock");
  writeFileSync(lock, typeof content === "string" ? content : JSON.stringify(content));
  return { ...profile, clock, lock };
}

const DEAD = 2 ** 22 + 1; // Linux never gives out a number as high as this.
const holder = async (changes: object) => ({
  id: "abc",
  pid: process.pid,
  started: await thisProcess.getStartTime(process.pid),
  host: hostname(),
  at: Date.UTC(2026, 10, 27, 12),
  ...changes,
});

test("work under the lock never overlaps, even in the same process, and leaves no file behind", async () => {
  const { credentials, path } = openProfile();
  let insideCount = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++insideCount);
    await turn();
    insideCount--;
  };
  await Promise.all(Array.from({ length: 12 }, () => credentials.exclusively(work)));
  expect([most, readdirSync(dirname(path))]).toEqual([1, []]);
});

test("the lock is released when the work fails, and the work's own error is reported", async () => {
  const { credentials } = openProfile();
  await expect(credentials.exclusively(() => Promise.reject(new Error("own")))).rejects.toThrow("own");
  expect(await credentials.exclusively(async () => "free")).toBe("free");
});

test("a write is possible while the lock is held", async () => {
  const { credentials } = openProfile();
  expect(await credentials.exclusively(() => credentials.write("https://a.example.test", 0, {}))).toBe(1);
});

test("a lock of a dead process is broken at once", async () => {
  const { credentials, clock, path } = createLockedProfile(await holder({ pid: DEAD }));
  expect(await credentials.exclusively(async () => "mine")).toBe("mine");
  expect([clock.sleeps, readdirSync(dirname(path))]).toEqual([[], []]);
});

test.runIf(process.getuid?.() === 0).for(["a lock", "a folder"])(
  "F10 %s of another user is ignored",
  async (attack) => {
    const { path, lock, clock } = createLockedProfile(await holder({}));
    const foreign = attack === "a lock" ? lock : dirname(path);
    chownSync(foreign, 65534, 65534);
    const options = { path: lock, clock, processes: { ...thisProcess, uid: 0 }, unique: () => "mine" };
    await expect(withLock(options, async () => expect.fail("it was believed"))).rejects.toMatchObject({
      code: "STORE_UNREADABLE",
      message: `Cannot use ${foreign}: it belongs to another user.`,
    });
  },
);

test.runIf(process.getuid?.() === 0).for(["the file", "its folder", "a linked file"])(
  "F10 a sign-in is not read if another user owns %s",
  async (attack) => {
    const { credentials, path } = openProfile({ processes: { ...thisProcess, uid: 0 } });
    await credentials.write("https://a.example.test", 0, { token: "planted" });
    if (attack === "a linked file") {
      renameSync(path, `${path}.other`);
      symlinkSync(`${path}.other`, path);
    }
    chownSync(attack === "its folder" ? dirname(path) : path, 65534, 65534);
    await expect(credentials.read("https://a.example.test")).rejects.toMatchObject({
      code: "STORE_UNREADABLE",
      message: expect.stringContaining("it belongs to another user"),
    });
  },
);

test("F10 a folder of this user that others can write to is made private", async () => {
  const { path, lock, clock } = createLockedProfile(await holder({ pid: DEAD }));
  chmodSync(dirname(path), 0o777);
  const options = { path: lock, clock, processes: { ...thisProcess, uid: process.getuid?.() }, unique: () => "mine" };
  expect(await withLock(options, async () => "free")).toBe("free");
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o755);
});

test.runIf(process.platform === "linux")("a lock whose process number was reused is broken at once", async () => {
  const { credentials, clock } = createLockedProfile(await holder({ started: "1" }));
  expect(await credentials.exclusively(async () => "mine")).toBe("mine");
  expect(clock.sleeps).toEqual([]);
});

test("a lock of a running process is waited for until it is 20 s old", async () => {
  const { credentials, clock } = createLockedProfile(await holder({}));
  await credentials.exclusively(async () => {});
  const waitedMs = clock.sleeps.reduce((sum, ms) => sum + ms, 0);
  expect(waitedMs).toBeGreaterThan(20_000);
  expect(waitedMs).toBeLessThan(20_300);
});

test("a lock from the future, after the clock was set back, is broken", async () => {
  const { credentials, clock } = createLockedProfile(await holder({ at: Date.UTC(2027, 1, 1) }));
  await credentials.exclusively(async () => {});
  expect(clock.sleeps).toEqual([]);
});

test("a lock of another machine is judged only by its age", async () => {
  const { credentials, clock } = createLockedProfile(await holder({ host: "elsewhere", pid: DEAD }));
  await credentials.exclusively(async () => {});
  expect(clock.sleeps.length).toBeGreaterThan(50);
});

test.for(["", "{", "[]", '{"id":"../../x","at":1}'])(
  "a lock file that says %j is broken when it is old",
  async (content) => {
    const { credentials, path } = createLockedProfile(content, fakeClock({ start: Date.now() }));
    expect(await credentials.exclusively(async () => "mine")).toBe("mine");
    expect(readdirSync(dirname(path))).toEqual([]);
  },
);

test("a lock that is renewed repeatedly is given up after 30 s: another kay is busy", async () => {
  const clock = fakeClock();
  const other = await holder({});
  const { credentials, lock } = createLockedProfile(other, {
    ...clock,
    async sleep(ms: number) {
      await clock.sleep(ms);
      writeFileSync(lock, JSON.stringify({ ...other, at: clock.now() }));
    },
  });
  await expect(credentials.exclusively(async () => {})).rejects.toMatchObject({
    code: "STORE_BUSY",
    message: `Another kay (process ${process.pid}) has held ${lock} for more than 30 s.`,
  });
  expect(clock.now() - Date.UTC(2026, 10, 27, 12)).toBeLessThan(30_300);
});

test("the signal ends a wait for the lock", async () => {
  const { credentials } = createLockedProfile(await holder({}), { ...fakeClock(), sleep: async () => stop.abort() });
  const stop = new AbortController();
  await expect(credentials.exclusively(async () => {}, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
});

test("twenty processes that find the same stale lock break it once, and then work one after another", async () => {
  const { path, folder } = createLockedProfile(await holder({ pid: DEAD }));
  let insideCount = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++insideCount);
    await turn();
    insideCount--;
  };
  const processes = Array.from({ length: 20 }, () => openProfile({ in: folder }).credentials);
  await Promise.all(processes.map((credentials) => credentials.exclusively(work)));
  expect([most, readdirSync(dirname(path))]).toEqual([1, []]);
});

test("a process that was killed while breaking a lock blocks no other process", async () => {
  const { credentials, path, lock, clock } = createLockedProfile(await holder({ pid: DEAD }));
  writeFileSync(`${lock}.abc.1`, JSON.stringify(await holder({ pid: DEAD })));
  await credentials.exclusively(async () => {});
  expect([clock.sleeps, readdirSync(dirname(path))]).toEqual([[], []]);
});

test("a late finisher does not remove the lock of the next process", async () => {
  const { credentials, path, folder } = openProfile();
  const next = openProfile({ in: folder, clock: { ...fakeClock(), now: () => Date.now() + 60_000 } }).credentials;
  const steps: string[] = [];
  await credentials.exclusively(async () => {
    const second = next.exclusively(async () => {
      steps.push("second in");
      while (steps.length < 2) await turn();
      steps.push(`lock is there: ${readdirSync(dirname(path)).includes("default.lock")}`);
    });
    while (steps.length < 1) await turn();
    void second.then(() => steps.push("second out"));
  });
  steps.push("first out");
  while (steps.length < 4) await turn();
  expect(steps).toEqual(["second in", "first out", "lock is there: true", "second out"]);
});

test("a process is identified by its number and its start", async () => {
  expect(await thisProcess.getStartTime(process.pid)).toBe(await thisProcess.getStartTime(process.pid));
  expect(await thisProcess.getStartTime(DEAD)).toBe(null);
  expect(createProcesses(7, () => true).pid).toBe(7);
});
