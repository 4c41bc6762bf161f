import { expect, test } from "vitest";
import { readChecks, unwell } from "#test/doctor";
import { useKay } from "#test/kay";

const kay = useKay();
const HERE = { env: { BROWSER: "none" } };

test("a backend that does not answer ends in time, and dependent checks are skipped", async () => {
  const ann = kay({ ...HERE, signedIn: true });
  await ann("whoami");
  ann.place.network.always("GET /", "hang");
  const began = ann.place.clock.now();
  const result = await ann("doctor jira --json");
  expect(ann.place.clock.now() - began).toBeLessThan(15_000);
  expect({ exit: result.exit, unwell: unwell(result) }).toEqual({
    exit: 1,
    unwell: {
      browser: "skipped",
      "network.name": "skipped",
      "network.http": "failed",
      backend: "failed",
      clock: "skipped",
      stream: "skipped",
      "sign-in": "skipped",
      connections: "skipped",
      model: "skipped",
      service: "skipped",
      "service.client": "skipped",
      "service.consent": "skipped",
      "service.account": "skipped",
      "service.scopes": "skipped",
      "service.server": "skipped",
      "service.read": "skipped",
    },
  });
  expect(readChecks(result)["network.http"]).toMatch(/^failed: The backend has not answered within 11 s\./);
});

test("the step that fails is named, and no request is sent over a broken route", async () => {
  const walk = async () =>
    [
      { name: "proxy", state: "ok", message: "None." },
      {
        name: "name",
        state: "failed",
        message: "The name kay.example.test was not found (ENOTFOUND).",
        fix: "Check the spelling.",
      },
      { name: "connect", state: "skipped", message: "Not checked: name lookup failed." },
    ] as never;
  const ann = kay({ env: { ...HERE.env, KAY_API_URL: "https://kay.example.test" }, world: { machine: { walk } } });
  ann.place.network.serve("https://kay.example.test", async () => new Response(null, { status: 502 }));
  const checks = readChecks(await ann("doctor --json"));
  expect(checks).toMatchObject({
    "network.name": "failed: The name kay.example.test was not found (ENOTFOUND). → Check the spelling.",
    "network.connect": "skipped: Not checked: name lookup failed.",
    "network.http": "skipped: Not reached.",
    backend: "skipped: Not reached.",
  });
});

test("a local backend that does not start is reported with its log file", async () => {
  const checks = readChecks(await kay({ ...HERE, own: "fails" })("doctor --json"));
  expect(checks).toMatchObject({
    backend: "failed: Could not start the local backend. → Its log: /home/ann/kay/backend.log",
    "network.loopback": "skipped: The local backend is not running.",
    stream: "skipped: The backend could not be reached.",
    "sign-in": "skipped: The backend could not be reached.",
  });
});

test("a basic backend passes", async () => {
  const ann = kay({ ...HERE, signedIn: true });
  await ann("whoami");
  for (const route of ["GET /capabilities", "GET /health", "GET /model", "GET /services", "GET /tools"])
    ann.place.network.always(route, { status: 404, json: { error: "Not found" } });
  const result = await ann("doctor jira --json");
  expect(result.exit).toBe(0);
  expect(readChecks(result)).toMatchObject({
    backend: "ok: http://127.0.0.1:4000 answers, with the minimal protocol.",
    stream: "skipped: This backend has no test stream.",
    model: "skipped: This backend does not report which model it uses.",
    service: "ok: jira.",
    "service.client": "skipped: This backend does not report it.",
    "service.account": expect.stringMatching(/^ok: Connected as Dana Demo/),
    "service.read": "skipped: This backend does not list its tools.",
  });
});

test.for([
  [2, "ok: In sync with the backend."],
  [-90, "warning: It is 90 s ahead of the backend's clock. → Set this machine's clock"],
  [
    400,
    "failed: It is 7 min behind the backend's clock. Tokens and links may appear expired or not yet valid. → Set this machine's clock",
  ],
  [86_400 * 30, "failed: It is 30 days behind the backend's clock."],
] as const)("a clock that is %i s behind the backend's", async ([seconds, expected]) => {
  const ann = kay(HERE);
  const date = new Date(ann.place.clock.now() + seconds * 1000).toUTCString();
  ann.place.network.on("GET /capabilities", { json: { name: "kay", version: "1" }, headers: { date } });
  expect(readChecks(await ann("doctor --json")).clock).toContain(expected);
});

/** Builds beats that were sent 400 ms apart. */
const beats = (now: number) =>
  [0, 400, 800].map(
    (after, index) =>
      `id: ${index + 1}\ndata: ${JSON.stringify({ type: "beat", number: index + 1, at: new Date(now + after) })}\n\n`,
  );

test("a stream that arrives all at once is buffered on the way", async () => {
  const ann = kay(HERE);
  ann.place.network.on("GET /health/stream", { stream: [`${beats(ann.place.clock.now()).join("")}data: [DONE]\n\n`] });
  expect(readChecks(await ann("doctor --json")).stream).toBe(
    "failed: An event stream arrives all at once, 0.8 s late. Answers in a session appear only when they are complete. → The administrator of 127.0.0.1 must turn off response buffering in front of it (nginx: proxy_buffering off).",
  );
});

test("a stream that arrives as sent passes, whatever the clocks say", async () => {
  const ann = kay(HERE);
  const { clock, network } = ann.place;
  network.on("GET /health/stream", {
    stream: (async function* () {
      for (const beat of beats(clock.now() - 3_600_000)) {
        yield beat;
        clock.advance(400);
      }
    })(),
  });
  expect(readChecks(await ann("doctor --json")).stream).toBe("ok: 3 events arrived as they were sent.");
});

test("a stream without data, one that breaks off, and one through a proxy are reported", async () => {
  const ann = kay({
    env: { ...HERE.env, KAY_API_URL: "https://kay.example.test", HTTPS_PROXY: "http://proxy.test:3128" },
  });
  const { backend, network, clock } = ann.place;
  let stream: ReadableStream | null = null;
  network.serve("https://kay.example.test", async (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/health/stream")
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    return backend.fetch(new Request(`http://127.0.0.1:4000${pathname}${search}`, request));
  });
  const checkStream = async (body: ReadableStream) => {
    stream = body;
    return readChecks(await ann("doctor --json")).stream;
  };
  const encode = (text: string) => new TextEncoder().encode(text);
  const warning =
    "Answers in a session appear only when they are complete. → Configure the proxy in HTTPS_PROXY to pass text/event-stream without buffering, or add kay.example.test to NO_PROXY.";
  expect(await checkStream(ReadableStream.from([encode(beats(clock.now()).join(""))]))).toBe(
    `failed: An event stream arrives all at once, 0.8 s late. ${warning}`,
  );
  expect(await checkStream(ReadableStream.from([encode(beats(clock.now())[0] ?? "")]))).toBe(
    `failed: Event streams are cut off on the way. ${warning}`,
  );
  expect(await checkStream(new ReadableStream())).toBe(`failed: Event streams do not get through. ${warning}`);
});

test("a named model that cannot answer fails, one that does not answer is reported", async () => {
  const ann = kay({
    ...HERE,
    signedIn: true,
    model: { model: "openai:gpt-5", where: "model of profile default", env: {} },
  });
  expect(readChecks(await ann("doctor --json")).model).toBe(
    "failed: OpenAI API key is not configured → Set OPENAI_API_KEY, or run `kay config unset model` to use the offline planner.",
  );
  const bob = kay({ ...HERE, signedIn: true });
  await bob("whoami");
  bob.place.network.on("POST /model/test", "hang");
  expect(readChecks(await bob("doctor --json")).model).toMatch(
    /^warning: Offline planner: .* It did not answer within 8 s\. → Run `kay model --test`, which waits longer\.$/,
  );
});
