import { AbstractChat, type ChatState, DefaultChatTransport, type UIMessage, uiMessageChunkSchema } from "ai";
import { afterEach, expect, test } from "vitest";
import { type Listener, listen } from "#backend/http/listen";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";

const CLOSE = "POST https://api.atlassian.com/close/KAY-3";
const { model, world } = useScriptedBackend({ services: deskServices([]) });
let listener: Listener | undefined;
afterEach(() => listener?.close());

/** `useChat` without React. */
class Chat extends AbstractChat<UIMessage> {
  constructor(transport: DefaultChatTransport<UIMessage>) {
    const state: ChatState<UIMessage> = {
      status: "ready",
      error: undefined,
      messages: [],
      pushMessage: (message) => void state.messages.push(message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: (index, message) => {
        state.messages[index] = message;
      },
      snapshot: (thing) => structuredClone(thing),
    };
    super({ state, transport });
  }
}

/** A chat of the AI SDK at the real route over a real socket, with kay's body; also everything that arrived. */
async function openChat() {
  const { token } = await connect(world());
  listener = await listen((request) => world().backend.fetch(request), { host: "127.0.0.1", port: 0, grace: 100 });
  const { url } = listener;
  const chunks: unknown[] = [];
  let session = "";
  const headers = { host: "127.0.0.1:4000", authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const transport = new DefaultChatTransport<UIMessage>({
    api: `${url}/ask`,
    prepareSendMessagesRequest: ({ messages }) => {
      const text = messages
        .at(-1)
        ?.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
        .join("");
      return { headers, body: { prompt: text, ...(session ? { session_id: session } : {}) } };
    },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      session = response.headers.get("kay-session-id") ?? session;
      const [mine, theirs] = (response.body as ReadableStream<Uint8Array>).tee();
      void new Response(mine).text().then(
        (text) => {
          for (const [, data = ""] of text.matchAll(/^data: (.*)$/gm))
            if (data !== "[DONE]") chunks.push(JSON.parse(data));
        },
        () => {},
      );
      return new Response(theirs, response);
    },
  });
  return { chat: new Chat(transport), token, chunks, session: () => session };
}

/** Parts of the SDK's schema, one by one. */
async function invalid(chunks: unknown[]): Promise<unknown[]> {
  const schema = uiMessageChunkSchema();
  const checked = await Promise.all(
    chunks.map(async (chunk) => ({ chunk, ok: (await schema.validate?.(chunk))?.success })),
  );
  return checked.filter(({ ok }) => ok !== true).map(({ chunk }) => chunk);
}

const bare = (message: UIMessage | undefined) =>
  message?.parts.map((part) => ({ ...part, ...("providerMetadata" in part ? { providerMetadata: undefined } : {}) }));

test("the AI SDK's chat shows text, a call, its approval and kay's own parts, and continues the conversation", async () => {
  const { chat, token, chunks, session } = await openChat();
  model.script(
    { text: ["I will ", "close it."], calls: [["c1", "jira.close_issue", { issue: "KAY-3" }]] },
    { text: "Closed." },
  );
  const sending = chat.sendMessage({ text: "close KAY-3" });
  const request = await until(() =>
    chat.messages.at(-1)?.parts.find((part) => part.type === "data-interaction-request"),
  );
  expect(chat.messages.at(-1)?.parts).toContainEqual(
    expect.objectContaining({ type: "dynamic-tool", toolName: "jira.close_issue", state: "approval-requested" }),
  );
  world().outside.expect(CLOSE, json({}));
  const { interaction_id } = (request as { data: { interaction_id: string } }).data;
  await world().call(`POST /sessions/${session()}/interactions/${interaction_id}`, {
    token,
    body: { action: "approve" },
  });
  await sending;
  expect({ status: chat.status, error: chat.error }).toEqual({ status: "ready", error: undefined });
  const message = chat.messages.at(-1);
  expect(bare(message)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: "text", text: "I will close it.", state: "done" }),
      expect.objectContaining({
        type: "dynamic-tool",
        toolCallId: "c1",
        state: "output-available",
        input: { issue: "KAY-3" },
        output: expect.objectContaining({ from: "jira", text: "KAY-3 is closed." }),
      }),
      expect.objectContaining({ type: "text", text: "Closed.", state: "done" }),
      expect.objectContaining({ type: "data-receipt" }),
    ]),
  );
  expect(message?.metadata).toMatchObject({ session_id: session(), generation_id: message?.id });
  expect(await invalid(chunks)).toEqual([]);
  model.script({ text: "You are welcome." });
  await chat.sendMessage({ text: "thanks" });
  expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(model.prompts.at(-1)?.messages.filter(({ role }) => role === "user")).toHaveLength(2);
});

test("an error of the model is an error of the AI SDK's chat, in kay's words", async () => {
  const { chat, chunks } = await openChat();
  model.script({ fails: 401 });
  await chat.sendMessage({ text: "hello" });
  expect(chat.status).toBe("error");
  expect(chat.error?.message).toMatch(/\w/);
  expect(await invalid(chunks)).toEqual([]);
});

test("a generation cancelled elsewhere ends in the AI SDK's chat without an error", async () => {
  const { chat, token, chunks } = await openChat();
  model.script(() => new Promise<never>(() => {}));
  const sending = chat.sendMessage({ text: "hello" });
  const id = await until(() => (chat.messages.at(-1)?.role === "assistant" ? chat.messages.at(-1)?.id : undefined));
  await world().call(`POST /generations/${id}/cancel`, { token });
  await sending;
  expect({ status: chat.status, error: chat.error }).toEqual({ status: "ready", error: undefined });
  expect(chunks.at(-1)).toMatchObject({ type: "abort" });
  expect(await invalid(chunks)).toEqual([]);
});

async function until<T>(look: () => T | undefined): Promise<T> {
  for (let tries = 500; tries > 0; tries--) {
    const value = look();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("it never came");
}
