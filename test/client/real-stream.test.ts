import { expect, test } from "vitest";
import { createApi } from "#client/api/api";
import { useKay } from "#test/kay";
import { BACKEND } from "#test/network";
import { collectParts, joinText } from "#test/stream-world";

const machine = useKay();

test("a request to the local backend streams, and its conversation can be replayed, renamed and found", async () => {
  const kay = machine();
  await kay("connect jira");
  const { network, clock } = kay.place;
  const { token } = await kay.stored();
  const { send, openStream } = network;
  const random = (bytes: number) => new Uint8Array(bytes);
  const api = createApi({ baseUrl: BACKEND, send, openStream, clock, random, version: "0.0.0-test", token });
  const stream = await api.askStream({ prompt: "show KAY-3" });
  if (stream.kind !== "stream") return expect.fail("it should be a stream");
  const { parts, error } = await collectParts(stream.parts);
  expect([error, parts.at(0)?.number, parts.at(-1)?.part.type]).toEqual([undefined, 1, "finish"]);
  expect(joinText(parts)).toContain("KAY-3");
  const id = stream.sessionId ?? "";
  expect(await collectParts(api.events(id, { live: false }))).toEqual({ parts });
  expect(await api.renameSession(id, "Look at it")).toMatchObject({ id, title: "Look at it", status: "completed" });
  expect((await api.sessions()).data).toMatchObject([{ id, title: "Look at it", last_event: parts.at(-1)?.number }]);
  const live = [];
  for await (const part of api.events(id, { after: 2, client: { id: "desk", name: "Desk" } })) {
    live.push(part);
    if (part.part.type === "finish") break;
  }
  expect(live).toEqual(parts.slice(2));
  expect(await api.pending()).toEqual([]);
});
