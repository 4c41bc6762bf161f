import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runKay, startKay } from "#test/built/run";

const PATH = process.env.PATH ?? "";

/** Runs kay with only this environment, in an empty folder, and returns what it wrote there. */
async function kayIn(env: Record<string, string>, ...args: string[]) {
  const cwd = mkdtempSync(join(tmpdir(), "kay-homes-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const outcome = await runKay(startKay(args, { env: { PATH, ...env }, cwd }));
  return {
    ...outcome,
    wrote: [...readdirSync(cwd), ...["/.config", "/.cache", "/.local", "/nonexistent"].filter(existsSync)],
  };
}

const nowhere = { "HOME=/": { HOME: "/" }, "a HOME that does not exist": { HOME: "/nonexistent" } };

for (const [name, env] of Object.entries(nowhere)) {
  test(`S14 with ${name} a command that needs the store says what to do in one sentence, and writes nothing`, async () => {
    const { exit, stdout, stderr, wrote } = await kayIn(env, "connections");
    expect({ exit, stdout, wrote }).toEqual({ exit: 1, stdout: "", wrote: [] });
    expect(stderr).toMatch(/^✗ [^\n]*(HOME|home|\/nonexistent)[^\n]*\n( {2}[^\n]*\n)?$/);
    expect(stderr).toMatch(/KAY_CONFIG_DIR/);
  });

  test(`S14 with ${name} and KAY_CONFIG_DIR set, that folder is used`, async () => {
    const config = mkdtempSync(join(tmpdir(), "kay-homes-"));
    onTestFinished(() => rmSync(config, { recursive: true, force: true }));
    const { exit, stderr, wrote } = await kayIn(
      { ...env, KAY_CONFIG_DIR: config },
      "config",
      "set",
      "model",
      "planner",
    );
    expect({ exit, stderr, wrote }).toEqual({ exit: 0, stderr: "Set model in profile default.\n", wrote: [] });
    expect(readdirSync(config)).toEqual(["config.json"]);
  });
}

test("S14 a home that is not writable, with XDG_CONFIG_HOME set, uses that", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kay-homes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "home"), "");
  mkdirSync(join(folder, "x"));
  const env = { HOME: join(folder, "home"), XDG_CONFIG_HOME: join(folder, "x") };
  expect(await kayIn(env, "whoami")).toMatchObject({ exit: 4, stderr: expect.stringMatching(/not signed in/) });
  expect(await kayIn(env, "config", "path")).toMatchObject({ exit: 0, stdout: `${folder}/x/kay/config.json\n` });
});

const withoutLoopback = "ip link set lo up && ip address del 127.0.0.1/8 dev lo";
const canRemoveIt = spawnSync("unshare", ["-rn", "sh", "-c", withoutLoopback]).status === 0;

test.skipIf(!canRemoveIt)("a machine without the IPv4 loopback address is told how to add it", async () => {
  const config = mkdtempSync(join(tmpdir(), "kay-homes-"));
  onTestFinished(() => rmSync(config, { recursive: true, force: true }));
  const script = `${withoutLoopback} && exec "$0" bin/kay.js serve --sandbox-only`;
  const args = ["-rn", "sh", "-c", script, process.execPath];
  const env = { PATH, HOME: config, KAY_CONFIG_DIR: config };
  const { exit, stderr } = await runKay(startKay(args, { program: "unshare", env }));
  expect(exit).toBe(1);
  expect(stderr).toMatch(
    /✗ This machine does not have the address 127\.0\.0\.1\.\n[^✗]*ip address add 127\.0\.0\.1\/8 dev lo/,
  );
});

test("settings that do not fit on the disk say so, not that the folder cannot be written", async () => {
  const config = mkdtempSync(join(tmpdir(), "kay-homes-"));
  onTestFinished(() => rmSync(config, { recursive: true, force: true }));
  const args = ["-c", 'ulimit -f 0; exec "$0" bin/kay.js config set model offline', process.execPath];
  const { exit, stderr } = await runKay(startKay(args, { program: "/bin/sh", env: { PATH, KAY_CONFIG_DIR: config } }));
  expect({ exit, stderr }).toEqual({
    exit: 1,
    stderr: `✗ Could not write ${config}/config.json (the disk or your quota on it is full, EFBIG).\n  Nothing was changed. Free some space, then try again.\n`,
  });
});

test("S14 a home that is not writable is named with its errno and the variable to set", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kay-homes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "home"), "");
  const { exit, stderr } = await kayIn({ HOME: join(folder, "home") }, "connections");
  expect(exit).toBe(1);
  expect(stderr).toMatch(/^✗ [^\n]*\/home\/[^\n]*\(ENOTDIR\)\.\n[^\n]*KAY_CONFIG_DIR[^\n]*\n$/);
});

// As for the home of another user (EACCES), which root could read.
test("S14 a folder of settings that cannot be looked up is named with its errno", async () => {
  const home = mkdtempSync(join(tmpdir(), "kay-homes-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  symlinkSync(".config", join(home, ".config"));
  const { exit, stderr } = await kayIn({ HOME: home }, "config", "set", "model", "offline");
  expect({ exit, stderr }).toEqual({
    exit: 1,
    stderr: `✗ Could not write ${home}/.config/kay (ELOOP).\n  Set KAY_CONFIG_DIR to a writable directory.\n`,
  });
});
