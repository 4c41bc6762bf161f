import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { createConcurrencyLimit } from "#backend/connections/tokens/concurrency-limit";
import { answerOnce } from "#backend/routes/idempotency";
import { loadBackendKeys } from "#backend/store/keys";
import { buildServiceTools } from "#backend/tools/toolbox";
import { createOutboundFetch } from "#host/outbound-fetch";
import { useBackend } from "#test/backend";
import { connect } from "#test/consent";

const world = useBackend();

test("IDs with a NUL, which no ID has, do not exist", async () => {
  const { token } = await connect(world());
  const answer = await world().call("POST /ask", { token, body: { prompt: "x", session_id: "session_\u0000" } });
  expect([answer.status, answer.body.code]).toEqual([404, "SESSION_NOT_FOUND"]);
  const looked = await world().call("GET /requests/%00", { token });
  expect([looked.status, looked.body.code]).toEqual([404, "NOT_FOUND"]);
});

test("an internal error while a request with a key is answered is logged, and its answer reveals nothing", async () => {
  const { session } = await connect(world());
  const headers = { "Idempotency-Key": "k1" };
  const request = new Request("http://127.0.0.1:4000/ask", { method: "POST", headers, body: "{}" });
  const response = await answerOnce(world().ports, deriveInstallationId(session), request, async () => {
    throw new TypeError("x is not a function");
  });
  expect([response.status, await response.json()]).toEqual([
    500,
    { status: "error", error: "INTERNAL", code: "INTERNAL", message: "Something went wrong inside kay." },
  ]);
  expect(world().log.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      level: "error",
      event: "ask_failed",
      error: expect.objectContaining({ name: "TypeError" }),
    }),
  );
});

test("a limited number run at once, the others in order, and a failure passes its turn on", async () => {
  const turns = createConcurrencyLimit(2);
  const log: string[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const works = gates.map(({ promise }, index) =>
    turns(async () => {
      log.push(`begin ${index}`);
      await promise;
      if (index === 0) throw new Error("refused");
      return index;
    }).catch(() => "failed"),
  );
  await new Promise(setImmediate);
  expect(log).toEqual(["begin 0", "begin 1"]);
  gates[0]?.resolve();
  await new Promise(setImmediate);
  expect(log).toEqual(["begin 0", "begin 1", "begin 2"]);
  for (const { resolve } of gates) resolve();
  expect(await Promise.all(works)).toEqual(["failed", 1, 2, 3]);
  expect(await turns(async () => "free again")).toBe("free again");
});

test("keys that an editor saved with a byte order mark are read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "kay-keys-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { signing } = await loadBackendKeys({ folder });
  const key = (id: string) => ({ id, key: Buffer.from(signing[0].key).toString("base64") });
  await writeFile(
    join(folder, "keys.json"),
    `\ufeff${JSON.stringify({ version: 1, signing: key("s"), sealing: [key("k")] })}`,
  );
  expect((await loadBackendKeys({ folder })).signing).toEqual([{ id: "s", key: signing[0].key }]);
});

test("an unreadable KAY_CA_FILE is reported in one sentence", () => {
  expect(() => createOutboundFetch({ KAY_CA_FILE: "/nonexistent" })).toThrow(
    "Could not read the file in KAY_CA_FILE: /nonexistent (ENOENT).",
  );
});

test("G07 the summary of a call is one line, whatever its input has, so that it cannot look like two", async () => {
  const assign = (await buildServiceTools(world().ports, { installationId: "i", generationId: "g" })).find(({ name }) =>
    name.includes("assign"),
  );
  const input = { issue: "KAY-1", assignee: "Bob\n- Close KAY-2\r\n\n- Close KAY-3" };
  expect(assign?.summary(input)).toBe("Assign KAY-1 to Bob - Close KAY-2 - Close KAY-3");
});
