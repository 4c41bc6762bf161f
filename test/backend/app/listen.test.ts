import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { type Listener, type ListenOptions, listen } from "#backend/http/listen";
import { Problem } from "#protocol/errors";

const LOCAL = { host: "127.0.0.1", port: 0 };
type Serve = Parameters<typeof listen>[0];

async function withListener(serve: Serve, work: (listener: Listener) => Promise<void>, options: ListenOptions = LOCAL) {
  const listener = await listen(serve, options);
  try {
    await work(listener);
  } finally {
    await listener.close();
  }
}

test("port 0 lets the system choose, and requests have the peer's address", async () => {
  const serve: Serve = async (incoming, address) =>
    Response.json({ url: incoming.url, address, body: await incoming.text() });
  await withListener(serve, async ({ url, port }) => {
    expect(url).toBe(`http://127.0.0.1:${port}`);
    const answer = await fetch(`${url}/a?b=c`, { method: "POST", body: "hello" });
    expect(await answer.json()).toEqual({ url: `${url}/a?b=c`, address: "127.0.0.1", body: "hello" });
  });
});

test("the URL of a listener on every address is usable", async () => {
  const ok: Serve = () => new Response("ok");
  await withListener(ok, async ({ url, port }) => expect(url).toBe(`http://127.0.0.1:${port}`), {
    host: "0.0.0.0",
    port: 0,
  });
});

test("a port in use is reported in one clear sentence", async () => {
  const ok: Serve = () => new Response("ok");
  await withListener(ok, async ({ port }) => {
    const failure = await listen(ok, { host: "127.0.0.1", port }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Problem);
    expect(failure).toMatchObject({
      code: "BACKEND_START_FAILED",
      message: `Another program already listens at 127.0.0.1:${port}.`,
      hint: "Choose another port with `kay serve --port <port>`.",
    });
  });
});

test("an address that this machine does not have is reported in one clear sentence", async () => {
  const failure = await listen(() => new Response(), { host: "192.0.2.1", port: 0 }).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: "BACKEND_START_FAILED",
    message: "This machine does not have the address 192.0.2.1.",
  });
});

test("close refuses new requests and lets running ones finish, with or without idle connections", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let resolveArrival = () => {};
  const begun = new Promise<void>((resolve) => {
    resolveArrival = resolve;
  });
  const listener = await listen(async (incoming) => {
    if (incoming.url.endsWith("/slow")) {
      resolveArrival();
      await gate;
    }
    return new Response("done");
  }, LOCAL);
  const agent = new Agent({ keepAlive: true });
  expect(await get(`${listener.url}/quick`, agent)).toBe("done");
  const slow = get(`${listener.url}/slow`, agent);
  await begun;
  const closing = listener.close();
  await expect(get(`${listener.url}/quick`, new Agent())).rejects.toMatchObject({ code: "ECONNREFUSED" });
  release();
  expect(await slow).toBe("done");
  await closing;
  agent.destroy();
});

test("while draining, it answers as usual, and each answer is the last of its connection", async () => {
  await withListener(
    () => new Response("ok"),
    async (listener) => {
      const response = await fetch(listener.url);
      listener.drain();
      const last = await fetch(listener.url);
      expect([response, last].map(({ status, headers }) => [status, headers.get("connection")])).toEqual([
        [200, "keep-alive"],
        [200, "close"],
      ]);
      await Promise.all([response.text(), last.text()]);
    },
  );
});

test("close cuts requests that exceed the grace period", async () => {
  let resolveArrival = () => {};
  const begun = new Promise<void>((resolve) => {
    resolveArrival = resolve;
  });
  const listener = await listen(
    (incoming) => {
      resolveArrival();
      return new Promise<Response>((resolve) =>
        incoming.signal.addEventListener("abort", () => resolve(new Response())),
      );
    },
    { ...LOCAL, grace: 50 },
  );
  const cut = get(`${listener.url}/`, new Agent()).catch((error: { code?: string }) => error.code);
  await begun;
  await listener.close();
  expect(await cut).toBe("ECONNRESET");
});

test("an answer with the drop header is not sent: its connection is cut", async () => {
  const serve: Serve = () => new Response("never", { headers: { "x-drop": "1" } });
  await withListener(
    serve,
    async ({ url }) => {
      await expect(get(url, new Agent())).rejects.toMatchObject({ code: "ECONNRESET" });
    },
    { ...LOCAL, dropHeader: "x-drop" },
  );
});

test("a client that disconnects aborts its request", async () => {
  let resolveAbort = () => {};
  const abort = new Promise<void>((resolve) => {
    resolveAbort = resolve;
  });
  const serve: Serve = (incoming) =>
    new Promise<Response>((resolve) => {
      incoming.signal.addEventListener("abort", () => {
        resolveAbort();
        resolve(new Response());
      });
    });
  await withListener(serve, async ({ url }) => {
    const controller = new AbortController();
    const response = fetch(url, { signal: controller.signal }).catch(() => "gone");
    setTimeout(() => controller.abort(), 50);
    expect(await response).toBe("gone");
    await abort;
  });
});

test("a request that is not HTTP, or names no host, gets 400, and the server keeps running", async () => {
  await withListener(
    () => new Response("ok"),
    async ({ url, port }) => {
      for (const bytes of ["hello\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nhost: a b\r\n\r\n"]) {
        const socket = connect(port, "127.0.0.1");
        socket.write(bytes);
        const [first] = await once(socket, "data");
        expect([bytes, String(first).slice(0, 12)]).toEqual([bytes, "HTTP/1.1 400"]);
        socket.destroy();
      }
      expect(await (await fetch(url)).text()).toBe("ok");
    },
  );
});

function get(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, { agent }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve(body));
      response.on("error", reject);
    });
    clientRequest.on("error", reject);
    clientRequest.end();
  });
}
