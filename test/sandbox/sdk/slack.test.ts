import { type ConversationsListResponse, WebClient } from "@slack/web-api";
import { expect, test } from "vitest";
import { catchFailure, serveSandbox } from "./served.ts";

const READ = "channels:read,channels:history,groups:read,users:read";

async function createClient(scope: string) {
  const world = await serveSandbox("slack");
  const { token } = await world.signIn("slack", scope);
  return new WebClient(token, { slackApiUrl: `${world.url}/api/`, retryConfig: { retries: 0 } });
}

test("@slack/web-api reads channels page by page", async () => {
  const slack = await createClient(READ);
  const pages: (string | undefined)[][] = [];
  for await (const page of slack.paginate("conversations.list", {
    limit: 2,
    types: "public_channel,private_channel",
  })) {
    pages.push(((page as ConversationsListResponse).channels ?? []).map(({ name }) => name));
  }
  expect(pages).toEqual([
    ["general", "engineering"],
    ["releases", "random"],
    ["incidents", "old-website"],
  ]);
  expect((await slack.conversations.list({ exclude_archived: true })).channels).toHaveLength(4);
});

test("@slack/web-api sends a message with blocks, answers in its thread and reacts to it", async () => {
  const slack = await createClient(`${READ},chat:write,reactions:write`);
  const blocks = [{ type: "section", text: { type: "mrkdwn", text: "*Release* today" } }];
  const message = await slack.chat.postMessage({ channel: "C0GENERAL1", text: "Release today", blocks });
  expect(message).toMatchObject({
    ok: true,
    channel: "C0GENERAL1",
    message: { text: "Release today", type: "message" },
  });
  const ts = message.ts ?? "";
  await slack.chat.postMessage({ channel: "C0GENERAL1", text: "Or tomorrow", thread_ts: ts });
  await slack.reactions.add({ channel: "C0GENERAL1", timestamp: ts, name: "eyes" });
  const { messages } = await slack.conversations.replies({ channel: "C0GENERAL1", ts });
  expect(messages).toMatchObject([
    { ts, reply_count: 1, reactions: [{ name: "eyes", count: 1 }] },
    { text: "Or tomorrow", thread_ts: ts },
  ]);
});

test("@slack/web-api reports a missing scope with what is needed, and an unknown channel", async () => {
  const slack = await createClient(READ);
  expect(await catchFailure(slack.chat.postMessage({ channel: "C0GENERAL1", text: "x" }))).toMatchObject({
    code: "slack_webapi_platform_error",
    data: {
      ok: false,
      error: "missing_scope",
      needed: "chat:write",
      provided: READ,
      response_metadata: { scopes: READ.split(","), acceptedScopes: ["chat:write"] },
    },
  });
  expect(await catchFailure(slack.conversations.info({ channel: "C0NOTHERE9" }))).toMatchObject({
    code: "slack_webapi_platform_error",
    data: { error: "channel_not_found" },
  });
});

test("@slack/web-api uploads files and shares them with a comment", async () => {
  const slack = await createClient(`${READ},files:write`);
  const file = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  await slack.filesUploadV2({
    channel_id: "C0GENERAL1",
    initial_comment: "Look",
    file_uploads: [
      { file, filename: "shot.png" },
      { file: Buffer.from("two"), filename: "b.txt" },
    ],
  });
  const { messages = [] } = await slack.conversations.history({ channel: "C0GENERAL1", limit: 1 });
  expect(messages[0]).toMatchObject({
    text: "Look",
    files: [
      { name: "shot.png", size: 8 },
      { name: "b.txt", size: 3 },
    ],
  });
});
