import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { filesBelow, type Home, openHome, readPostmasterPid } from "#test/built/home";
import { end } from "#test/built/processes";
import type { Outcome } from "#test/built/run";
import { consent, letExpire } from "#test/built/serve";

test("no log, no output and no list of processes shows a token, a code, a verifier or a secret of any flow", {
  timeout: 120_000,
}, async () => {
  const home = openHome({ KAY_DEBUG: "1" });
  const listProcesses = watchProcesses();
  const secrets = new Map<string, string>();
  const outcomes: Outcome[] = [];
  const kay = async (...args: string[]) => {
    const outcome = await home.run(args, { limitMs: 60_000 });
    outcomes.push(outcome);
    await learn(home, secrets);
    return outcome;
  };

  const begun = JSON.parse((await kay("connect", "jira", "--no-wait", "--json")).stdout);
  const callback = await consent(begun.authorization_url);
  secrets.set("code", callback.searchParams.get("code") ?? "");
  await kay("connect", "jira", "--poll", begun.state);
  await kay("connections");
  await letExpire(home, "embedded", home.data);
  await learn(home, secrets);
  await kay("whoami");
  const plan = JSON.parse((await kay("ask", "--confirm", "--json", "close KAY-3")).stdout);
  await kay("confirm", plan.confirmation_token, "--approve");
  await end(readPostmasterPid(home.postgres()), "SIGKILL");
  await kay("ask", "what is open in project KAY?");
  await end(home.record()?.pid, "SIGKILL");
  await kay("ask", "what is open in project KAY?");
  await kay("disconnect", "jira", "--yes");
  await kay("logout");

  expect(outcomes.map(({ exit }) => exit)).toEqual([0, 0, 0, 0, 8, 0, 0, 0, 0, 0]);
  const output = outcomes.map(({ stdout, stderr }) => stdout + stderr).join("\n");
  const logs = [join(home.state, "backend.log"), join(home.postgres(), "postgres.log")].map((file) =>
    readFileSync(file, "utf8"),
  );
  const names = [...secrets.keys()].join(" ");
  for (const name of ["code", "verifier", "local", "signing", "sealing", "client", "token 1", "refresh_token 1"])
    expect(names).toContain(name);
  const texts = { said: output, log: logs[0] ?? "", database: logs[1] ?? "", processes: listProcesses() };
  for (const [source, text] of Object.entries(texts)) {
    expect([source, text.length > 100]).toEqual([source, true]);
    const leaks = [...secrets].filter(([, secret]) => text.includes(secret)).map(([name]) => name);
    expect({ where: source, found: leaks }).toEqual({ where: source, found: [] });
  }
  expect(texts.log).not.toContain(begun.state);
  expect(texts.log).not.toContain(begun.session_id);
  expect(texts.log).not.toContain(plan.confirmation_token);
});

test("the password of a database never reaches the log or the terminal", { timeout: 60_000 }, async () => {
  const home = openHome({ DATABASE_URL: "postgres://kay:hunter2-hunter2@127.0.0.1:1/kay", KAY_DEBUG: "1" });
  const { exit, stdout, stderr } = await home.run(["connect", "jira"], { limitMs: 60_000 });
  expect(exit).toBe(1);
  const served = await home.run(["serve", "--port", "0"], { limitMs: 60_000 });
  expect(served.exit).not.toBe(0);
  const log = readFileSync(join(home.state, "backend.log"), "utf8");
  expect(`${stdout}${stderr}${log}${served.stdout}${served.stderr}`).not.toMatch(/hunter2/);
});

/** Records every secret in the home now. */
async function learn(home: Home, secrets: Map<string, string>): Promise<void> {
  const add = (name: string, secret: string | undefined) => {
    const values = [...secrets.values()];
    if (secret && !values.includes(secret)) secrets.set(secrets.has(name) ? `${name} ${secrets.size}` : name, secret);
  };
  const signIn = await home.signedIn("embedded");
  add("token 1", signIn.token);
  add("refresh_token 1", signIn.refresh_token);
  for (const { verifier } of signIn.begun ?? []) add("verifier", verifier);
  add("local", home.record()?.secret);
  const { signing, sealing } = JSON.parse(readFileSync(join(home.data, "keys.json"), "utf8"));
  add("signing", signing.key);
  add("sealing", sealing[0].key);
  for (const { secret } of Object.values<{ secret: string }>(
    JSON.parse(readFileSync(join(home.data, "sandbox.json"), "utf8")).clients,
  ))
    add("client", secret);
}

/** Collects the command lines of all processes until the test ends. */
function watchProcesses(): () => string {
  const secrets = new Set<string>();
  const look = () => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        secrets.add(readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "));
      } catch {
        // It has just ended.
      }
    }
  };
  const timer = setInterval(look, 25);
  onTestFinished(() => clearInterval(timer));
  return () => [...secrets].filter((line) => line.includes("kay")).join("\n");
}

test("every file that kay stores is readable only by its user", { timeout: 60_000 }, async () => {
  const home = openHome();
  await home.run(["connect", "jira", "--no-wait", "--json"], { limitMs: 60_000 });
  const open = filesBelow(home.folder)
    .filter((file) => !file.startsWith(join(home.folder, "bin")))
    .filter((file) => (statSync(file).mode & 0o077) !== 0);
  expect(open).toEqual([]);
});
