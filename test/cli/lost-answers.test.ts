import { expect, test } from "vitest";
import { type Machine, parseDocument, useKay } from "#test/kay";
import type { Reply } from "#test/network";
import { holdPlan } from "#test/session";

const kay = useKay();
const COMMENT = 'ask "comment on KAY-3: hello"';
/** A guide-only backend does not know the outcome of a request. */
const GUIDE_ONLY: Reply = { status: 404, json: { error: "NOT_FOUND", message: "Not found" } };

const comments = async (ann: Machine) => (await ann('ask "show KAY-3"')).stdout.match(/^hello$/gm)?.length ?? 0;

test.for<Reply>(["lost", "gateway"])(
  "H19 a request whose answer is %s is looked up, and never sent again",
  async (fault) => {
    const ann = kay({ signedIn: true });
    await ann("policy set jira everything");
    ann.place.network.seen.length = 0;
    ann.place.network.on("POST /ask", fault as Reply);
    expect(await ann(COMMENT)).toEqual({
      exit: 0,
      stdout: expect.stringContaining("Commented on KAY-3."),
      stderr: expect.stringMatching(/^✓ Comment on KAY-3/m),
    });
    // Done by then, or followed where it continues.
    expect(ann.place.network.calls().slice(0, 2)).toEqual(["POST /ask", "GET /requests/…"]);
    expect(ann.place.network.calls().filter((call) => call.startsWith("POST"))).toEqual(["POST /ask"]);
    expect(await comments(ann)).toBe(1);
  },
);

test.for<[Reply, string]>([
  ["lost", "The connection to http://127.0.0.1:4000 broke before the response was complete (ECONNRESET)."],
  ["gateway", "http://127.0.0.1:4000 answered 504 with a web page instead of JSON."],
])("H19 a request whose outcome nobody knows (%s) is reported as such, and not sent again", async ([fault, reason]) => {
  const ann = kay({ signedIn: true });
  await ann("policy set jira everything");
  ann.place.network.seen.length = 0;
  ann.place.network.on("POST /ask", fault);
  ann.place.network.on("GET /requests/", GUIDE_ONLY);
  const stderr = `✗ The answer was lost, so the request may have been processed. ${reason}\n  Check whether it took effect before you retry.\n`;
  const result = await ann(`${COMMENT} --json`);
  expect({ ...result, stdout: parseDocument(result) }).toEqual({
    exit: 1,
    stdout: expect.objectContaining({ status: "error", code: "OUTCOME_UNKNOWN", state: "unknown" }),
    stderr,
  });
  expect(ann.place.network.calls()).toEqual(["POST /ask", "GET /requests/…"]);
  // It may have been stopped without a follower; it was not done twice.
  expect(await comments(ann)).toBeLessThanOrEqual(1);
});

test("H19 a request that was never sent may be repeated", async () => {
  const ann = kay({ signedIn: true });
  ann.place.network.on("POST /ask", "refused");
  expect(await ann(COMMENT)).toEqual({
    exit: 6,
    stdout: "",
    stderr:
      "✗ Cannot reach http://127.0.0.1:4000 (ECONNREFUSED).\n  Nothing answers on 127.0.0.1:4000. Start the backend with `kay serve`, or check the address: `kay config get api-url`.\n",
  });
  expect(ann.place.network.calls()).toEqual(["POST /ask"]);
});

test("H19 a request without an answer ends after ten minutes, and its outcome is looked up", async () => {
  const ann = kay({ signedIn: true });
  ann.place.network.on("POST /ask", "hang");
  ann.place.network.on("GET /requests/", GUIDE_ONLY);
  expect(await ann("ask hello")).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining("the request may have been processed"),
  });
});

test("H13 a confirmation that was recorded before a gateway gave up is not sent again; its answer is fetched", async () => {
  const ann = kay({ signedIn: true });
  const token = await holdPlan(ann);
  ann.place.network.seen.length = 0;
  ann.place.network.on("POST /ask/confirm", "gateway");
  expect(await ann(`confirm ${token} --approve`)).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("KAY-4 is now Done"),
  });
  expect(ann.place.network.calls()).toEqual(["POST /ask/confirm", "GET /requests/…"]);
});

test("H13 if the answer cannot be fetched, the outcome is unknown, and a manual repeat learns that it was used", async () => {
  const ann = kay({ signedIn: true });
  const token = await holdPlan(ann);
  ann.place.network.on("POST /ask/confirm", "gateway");
  ann.place.network.on("GET /requests/", GUIDE_ONLY);
  expect(await ann(`confirm ${token} --approve`)).toEqual({
    exit: 1,
    stdout: "",
    stderr:
      "✗ The answer was lost, so the request may have been processed. http://127.0.0.1:4000 answered 504 with a web page instead of JSON.\n  Check whether it took effect before you retry.\n",
  });
  expect(await ann(`confirm ${token} --approve`)).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(/^✗ The confirmation was already approved at /),
  });
});

test("C13 Ctrl+C, TERM and HUP end a request with their exit codes, and nothing more is sent", async () => {
  for (const [signal, exit] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    const ann = kay({ signedIn: true });
    await ann("whoami");
    ann.place.network.on("POST /ask", () => {
      queueMicrotask(() => ann.interrupt(signal));
      return "hang";
    });
    expect(await ann("ask long")).toEqual({ exit, stdout: "", stderr: "" });
    expect(ann.place.network.calls().at(-1)).toBe("POST /ask");
  }
});
