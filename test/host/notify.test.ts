import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createNotifier } from "#host/notify";

const NOTICE = {
  id: "int_1",
  kind: "approval" as const,
  service: "slack; rm -rf $HOME",
  line: "kay needs your approval for Slack.",
  url: "https://kay.example.com/answer/int_1",
  session_id: "session_1",
  installation_id: "secret",
};
const BODY = {
  id: "int_1",
  kind: "approval",
  service: NOTICE.service,
  text: NOTICE.line,
  url: NOTICE.url,
  session_id: "session_1",
};

function notifier(setting: string | undefined, env: Record<string, string> = {}) {
  const log: unknown[] = [];
  const ports = { setting: () => setting, fetch, env: { PATH: process.env.PATH, ...env } };
  return { log, ...createNotifier({ ...ports, log: (...entry) => void log.push(entry) }) };
}

test("a command gets ID, service and line as its last arguments, and the JSON on stdin, without a shell", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kay-notify-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = join(folder, "tell me.mjs");
  writeFileSync(
    script,
    `import { readFileSync, writeFileSync } from "node:fs";
     writeFileSync(process.argv[2], JSON.stringify([process.argv.slice(3), JSON.parse(readFileSync(0)), process.env]));`,
  );
  const out = join(folder, "out.json");
  const { send, isOn, log } = notifier(`${process.execPath} "${script}" ${out}`, { KAY_TOKEN: "secret" });
  expect(isOn()).toBe(true);
  await send(NOTICE);
  const [args, stdin, env] = JSON.parse(readFileSync(out, "utf8"));
  expect(args).toEqual(["int_1", NOTICE.service, NOTICE.line]);
  expect(stdin).toEqual(BODY);
  expect(env).not.toHaveProperty("KAY_TOKEN");
  expect(log).toEqual([]);
});

/** A server on this machine that records each request. */
async function openListener() {
  const requests: [method: string | undefined, path: string | undefined, body: unknown][] = [];
  const server = createServer(async (request, response) => {
    requests.push([request.method, request.url, JSON.parse(await text(request))]);
    response.writeHead(request.url === "/moved" ? 302 : 200, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { seen: requests, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("a URL gets the same in a POST, and a redirect is not followed", async () => {
  const { seen, origin } = await openListener();
  await notifier(`${origin}/topic`).send(NOTICE);
  const movedNotifier = notifier(`${origin}/moved`);
  await movedNotifier.send(NOTICE);
  expect(seen).toEqual([
    ["POST", "/topic", BODY],
    ["POST", "/moved", BODY],
  ]);
  expect(movedNotifier.log).toEqual([["warn", "notify.failed", { id: "int_1", error: "HTTP 302" }]]);
});

test.for([
  [
    "ntfy",
    "https://ntfy.sh",
    "/",
    { topic: "my-secret-topic", title: "kay", message: "kay needs <!channel> & more.", click: NOTICE.url },
  ],
  [
    "slack",
    "https://hooks.slack.com/services/T000/B000/XXXX",
    "/hook",
    { text: `kay needs &lt;!channel&gt; &amp; more. <${NOTICE.url}|Answer>` },
  ],
] as const)(
  "the example for %s of the documents sends what the service documents",
  async ([name, target, path, body]) => {
    const { seen, origin } = await openListener();
    const folder = mkdtempSync(join(tmpdir(), "kay-notify-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const script = join(folder, "notify.mjs");
    const example = readFileSync(new URL(`../../docs/examples/notify-${name}.mjs`, import.meta.url), "utf8");
    expect(example).toContain(`"${target}"`);
    writeFileSync(script, example.replace(target, origin + path));
    const { send, log } = notifier(`${process.execPath} ${script}`);
    await send({ ...NOTICE, line: "kay needs <!channel> & more." });
    expect(log).toEqual([]);
    expect(seen).toEqual([["POST", path, body]]);
  },
);

test.for(["/no/such/program", "/bin/false"])("%s that fails is only logged", async (command) => {
  const { send, log } = notifier(command);
  await send(NOTICE);
  expect(log).toMatchObject([["warn", "notify.failed", { id: "int_1" }]]);
});

test.for([undefined, "", "auto", "off"])("%j sends nothing", (setting) => {
  expect(notifier(setting).isOn()).toBe(false);
});
