import { readFileSync, statSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openHome } from "#test/built/home";
import { readChecks } from "#test/doctor";

test("the built kay checks a fresh machine, starts the local backend, and writes a report", async () => {
  const home = openHome();
  const first = await home.run(["doctor", "jira", "--json"], { limitMs: 60_000 });
  const checks = readChecks(first);
  // A slow machine may need longer for the first start than doctor waits; the next run finds it started.
  if (checks.backend?.startsWith("failed: The backend has not answered"))
    await home.run(["model"], { limitMs: 60_000 });
  const second = await home.run(["doctor", "--bundle", "report.json", "--json"]);
  expect(second.exit).toBe(0);
  expect(readChecks(second)).toMatchObject({
    runtime: expect.stringMatching(/^ok: kay \d+\.\d+\.\d+ on Node 2\d\./),
    settings: expect.stringMatching(/^ok: Profile default;/),
    keychain: 'skipped: Not used, because the setting "credentials" is file.',
    browser: "skipped: Not opening a browser (BROWSER=none). Links are printed.",
    data: expect.stringMatching(/^(ok|warning): /),
    postgres: expect.stringMatching(/^ok: Embedded, /),
    "network.loopback": expect.stringMatching(/^ok: http:\/\/127\.0\.0\.1:\d+ can be reached/),
    backend: expect.stringMatching(/^ok: kay .*\. Its log is .*backend\.log\.$/),
    stream: "ok: 3 events arrived as they were sent.",
    "sign-in": "warning: Not signed in. → Run `kay connect <service>`.",
    model: expect.stringMatching(/^ok: Offline planner: .* and calls tools\.$/),
  });
  const report = `${home.folder}/report.json`;
  expect(statSync(report).mode & 0o777).toBe(0o600);
  expect(readFileSync(report, "utf8")).not.toContain(home.record()?.secret ?? "no record");
});

test("with everything frozen it ends within 15 s and names the step that does not answer", async () => {
  const mute = createServer((socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void mute.close());
  const { port } = mute.address() as AddressInfo;
  const home = openHome({
    KAY_API_URL: "https://kay.example.test",
    HTTPS_PROXY: `http://ann:pr0xy-word@127.0.0.1:${port}`,
    KAY_CREDENTIALS: "auto",
  });
  const began = Date.now();
  const result = await home.run(["doctor", "jira", "--json"]);
  expect(Date.now() - began).toBeLessThan(16_000);
  expect(result.stdout).not.toContain("pr0xy-word");
  expect({ exit: result.exit, checks: readChecks(result) }).toMatchObject({
    exit: 1,
    checks: {
      "network.proxy": `ok: http://127.0.0.1:${port}, which HTTPS_PROXY names.`,
      "network.tunnel": expect.stringMatching(/^failed: /),
      "network.tls": "skipped: Not checked: the tunnel failed.",
      backend: "skipped: Not reached.",
      service: "skipped: The backend could not be reached.",
    },
  });
});
