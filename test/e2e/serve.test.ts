import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHome, readPostmasterPid } from "#test/built/home";
import { isRunning, until } from "#test/built/processes";
import { CONNECTED, connect, serve } from "#test/built/serve";
import { findFreePort } from "#test/ports";

const SEED = `
atlassian:
  accounts: [{ accountId: a1, displayName: Dana Demo, emailAddress: dana@example.com }]
  sites:
    - name: harbour
      projects:
        - key: SEA
          name: Sea
      issues:
        - key: SEA-1
          summary: Tides are late
          issuetype: Bug
          status: To Do
`;

test("kay serve with a seed serves that world; a second one on the port says so; SIGTERM lets the running request finish", {
  timeout: 120_000,
}, async () => {
  const home = openHome();
  const seed = join(home.folder, "world.yaml");
  writeFileSync(seed, SEED);
  const { url, sandbox, running } = await serve(home, ["--seed", seed]);
  const client = openHome({ KAY_API_URL: url });
  await connect(client, "jira");
  expect((await client.run(["ask", "what is open in project SEA?"])).stdout).toMatch(/Tides are late/);

  const second = await home.run(["serve", "--port", new URL(url).port, "--data-dir", join(home.folder, "second")]);
  expect(second.exit).toBe(1);
  expect(second.stderr).toContain(
    `✗ Another program already listens at 127.0.0.1:${new URL(url).port}.\n  Choose another port with \`kay serve --port <port>\`.\n`,
  );

  const fault = { match: { method: "POST", path: "*/search/jql" }, delay_ms: 1_500 };
  await fetch(`${sandbox.atlassian}/_sandbox/faults`, { method: "PUT", body: JSON.stringify(fault) });
  const asking = client.start(["ask", "what is open in project SEA?"]);
  await until(async () => {
    const answer = await fetch(`${sandbox.atlassian}/_sandbox/faults`);
    return ((await answer.json()) as { faults: unknown[] }).faults.length === 0;
  }, "the backend never asked the sandbox");
  running.child.kill("SIGUSR1");
  running.child.kill("SIGTERM");
  expect(await asking.ended).toMatchObject({ exit: 0, stdout: expect.stringMatching(/Tides are late/) });
  const { exit, stderr } = await running.ended;
  expect([exit, stderr]).toEqual([143, expect.not.stringContaining("Debugger")]);
  expect(readPostmasterPid(home.postgres(join(home.folder, "data/kay/serve")))).toBe(undefined);
});

test("with DATABASE_URL a restart of kay serve loses nothing, and stopping it leaves that Postgres alone", {
  timeout: 120_000,
}, async () => {
  const { home, databaseUrl, postgres } = await databaseServer();
  const env = { DATABASE_URL: databaseUrl };
  const port = String(await findFreePort());
  const first = await serve(home, ["--port", port], env);
  const client = openHome({ KAY_API_URL: first.url });
  await connect(client, "jira");
  const plan = JSON.parse((await client.run(["ask", "--confirm", "--json", "close KAY-3"])).stdout);
  await first.running.kill("SIGTERM");
  expect(await client.run(["connections"])).toMatchObject({ exit: 6, stdout: "" });

  await serve(home, ["--port", port], env);
  expect(await client.run(["connections"])).toEqual(CONNECTED);
  const result = await client.run(["confirm", plan.confirmation_token, "--approve"]);
  expect(result).toMatchObject({ exit: 0, stdout: expect.stringMatching(/KAY-3 is now Done/) });
  expect(await isRunning(postgres)).toBe(true);
});

test("kay serve --role agent runs the turns of kay serve --role backend on the same Postgres, and both run their own", {
  timeout: 120_000,
}, async () => {
  const { home, databaseUrl } = await databaseServer();
  const port = await findFreePort();
  const env = { DATABASE_URL: databaseUrl, KAY_AGENT_PASSWORD: "a-password-of-the-test" };
  const backendPort = String(await findFreePort());
  const backend = await serve(home, ["--role", "backend", "--port", backendPort], {
    ...env,
    KAY_AGENT_URL: `http://127.0.0.1:${port}`,
  });
  const client = openHome({ KAY_API_URL: backend.url });
  await connect(client, "jira");
  expect(await client.run(["ask", "close KAY-3"])).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining(`Could not reach the agent server at 127.0.0.1:${port}.`),
  });
  // The sandbox of the same folder, so that its tokens are valid there too.
  const agent = await serve(home, ["--role", "agent", "--port", String(port)], env);
  expect(await client.run(["ask", "close KAY-3"])).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/KAY-3 is now Done/),
  });
  expect((await client.run(["sessions", "show", "latest"])).stdout).toMatch(/KAY-3 is now Done/);
  await agent.running.kill("SIGTERM");
  await backend.running.kill("SIGTERM");
  await serve(home, ["--role", "both", "--port", backendPort], { DATABASE_URL: databaseUrl });
  expect(await client.run(["ask", "what is the status of KAY-3?"])).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/Done/),
  });
});

/** A foreign Postgres, reached by a URL: the one that another home's local backend runs. */
async function databaseServer() {
  const owner = openHome();
  owner.hasDatabase();
  await owner.run(["connect", "jira", "--no-wait", "--json"], { limitMs: 60_000 });
  const area = owner.postgres();
  const socket = encodeURIComponent(join(area, "run"));
  const password = readFileSync(join(area, "password"), "utf8");
  const home = openHome();
  mkdirSync(home.config, { recursive: true });
  return {
    home,
    databaseUrl: `postgres://kay:${password}@${socket}/template1`,
    postgres: readPostmasterPid(area) ?? 0,
  };
}
