import { expect, test } from "vitest";
import { createOperatorHandler } from "#host/operator";
import { readLogLevel } from "#host/run";

const operated = { status: async () => ({ status: "ok", version: "1", url: "u", sandbox: false }) as const };

test("the operator's socket needs no token, but accepts only names of this machine", async () => {
  const socket = createOperatorHandler(() => operated);
  const ask = async (host: string, path = "/status", method = "GET") =>
    (await socket(new Request(`http://127.0.0.1:9${path}`, { method, headers: { host } }))).status;
  expect(await Promise.all(["127.0.0.1:9", "localhost", "[::1]:9"].map((host) => ask(host)))).toEqual([200, 200, 200]);
  expect(await Promise.all(["evil.example", "127.0.0.1.evil.example", ""].map((host) => ask(host)))).toEqual([
    404, 404, 404,
  ]);
  expect([await ask("localhost", "/ask"), await ask("localhost", "/status", "POST")]).toEqual([404, 404]);
});

test("the log level is that of KAY_LOG_LEVEL; an unknown one is an error", () => {
  expect([readLogLevel({}, false), readLogLevel({}, true), readLogLevel({ KAY_LOG_LEVEL: " WARN " }, true)]).toEqual([
    "info",
    "debug",
    "warn",
  ]);
  expect(() => readLogLevel({ KAY_LOG_LEVEL: "loud" }, false)).toThrow('Unknown log level "loud" in KAY_LOG_LEVEL.');
});
