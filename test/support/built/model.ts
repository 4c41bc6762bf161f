import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll } from "vitest";
import { useScriptedModel } from "../scripted-model.ts";

/** A {@link useScriptedModel} for a backend in a separate process: behind a port of 127.0.0.1, for the tests of a file. */
export function useModel() {
  const model = useScriptedModel();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const leaving = new AbortController();
    response.on("close", () => leaving.abort());
    const url = `http://model.test${request.url}`;
    const body = Buffer.concat(chunks).toString();
    try {
      const answer = await model.ports.fetch(url, { method: "POST", body, signal: leaving.signal });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      if (answer.body) await pipeline(Readable.fromWeb(answer.body as never), response);
    } catch {
      response.destroy();
    }
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    ...model,
    /** Environment that points a backend at it. */
    env: () => ({
      KAY_MODEL: "openai-compatible:scripted",
      OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    }),
    /** The latest user message of each request so far. */
    said: () => model.prompts.map(({ messages }) => messages.findLast(({ role }) => role === "user")?.content),
  };
}
