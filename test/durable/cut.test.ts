import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { openStream } from "#test/event-stream";
import { useScriptedBackend } from "#test/scripted-backend";

const { model, world } = useScriptedBackend({ services: deskServices([]) });

test("a stream that is cut at any byte and resumed after its last complete event equals the uncut stream", async () => {
  const { token } = await connect(world());
  model.script(
    { text: ["żółć ", "👩‍👩‍👧 ", "日本語"], calls: [["c1", "jira.show_issue", { issue: "KAY-3" }]] },
    { text: "line\nline\r\n\u2028 e\u0301" },
  );
  const stream = await openStream(world(), "POST /ask", token, { body: { prompt: "zażółć" } });
  await stream.end();
  const path = `/sessions/${stream.headers.get("kay-session-id")}/events?live=false`;
  const whole = await readBytes(token, path);
  const texts = eventsOf(whole).flatMap(({ data }) => (data.type === "text-delta" ? [data.delta] : []));
  expect(texts.join("")).toBe("żółć 👩‍👩‍👧 日本語line\nline\r\n\u2028 e\u0301");
  const rests = new Map<number, Buffer>();
  for (let length = 0; length <= whole.length; length++) {
    // Each byte of a text, and every eleventh of the rest, because each is a request.
    const cut =
      length % 11 === 0 || (whole[length] ?? 0) > 127
        ? await readBytes(token, path, length)
        : whole.subarray(0, length);
    const events = eventsOf(cut);
    const after = events.at(-1)?.id ?? 0;
    const rest = rests.get(after) ?? (await readBytes(token, path, undefined, after));
    rests.set(after, rest);
    if (!isDeepStrictEqual([...events, ...eventsOf(rest)], eventsOf(whole)))
      expect.fail(`cut after ${length} bytes: ${cut.subarray(-80)}`);
  }
  expect(rests.size).toBe(eventsOf(whole).length + 1);
});

/** Reads the bytes of a stream; with a length, only that many. */
async function readBytes(token: string, path: string, length?: number, after?: number): Promise<Buffer> {
  const headers = { authorization: `Bearer ${token}`, ...(after ? { "last-event-id": String(after) } : {}) };
  const response = await world().backend.fetch(
    new Request(world().ports.publicUrl + path, { headers }),
    `cut ${length}`,
  );
  if (length === undefined) return Buffer.from(await response.arrayBuffer());
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let bytes = Buffer.alloc(0);
  while (bytes.length < length) {
    const { value, done } = await reader.read();
    if (done) break;
    bytes = Buffer.concat([bytes, value]);
  }
  await reader.cancel();
  return bytes.subarray(0, length);
}

/** Whole events with a number. */
function eventsOf(bytes: Buffer): { id: number; data: { type: string; delta?: string } }[] {
  const end = bytes.lastIndexOf("\n\n");
  const events = end < 0 ? [] : bytes.subarray(0, end).toString().split("\n\n");
  return events.flatMap((event) => {
    const [id = "", data = ""] = event.split("\n");
    return id.startsWith("id: ") ? [{ id: Number(id.slice(4)), data: JSON.parse(data.slice(6)) }] : [];
  });
}
