import * as z from "zod/mini";
import { Attachments, formatAttachments, loadAttachments } from "../attachments.ts";
import { escapeCell, quoteText } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import type { ServiceHttp } from "../service-http.ts";
import { defineTool, type FileContent, withDescription } from "../tool.ts";
import { callMethod, callReadMethod } from "./call.ts";
import {
  CHANNEL_FIELD,
  describeConversation,
  findConversation,
  formatConversation,
  formatConversationPlace,
  listDestinations,
} from "./channels.ts";
import { describeMessage, findMessage, formatMessageRef } from "./message.ts";
import { formatOutgoing, mentionsEverybody, postMessage } from "./outgoing.ts";

const SendInput = z.object({
  channel: withDescription(z.string(), "Channel such as #general, or a user: @name, full name or email address."),
  text: withDescription(z.string(), "The message, as text or Markdown."),
});

/** Source: https://docs.slack.dev/reference/methods/chat.postMessage/ and …/conversations.open/ */
export const sendMessageTool = defineTool({
  name: "slack.send_message",
  description: "Send a message to a Slack channel or directly to a user.",
  access: "write",
  input: SendInput,
  examples: [
    "send {text} to {channel}",
    "send a message to {channel}: {text}",
    "send a message to {channel} saying {text}",
    "post {text} in {channel}",
    "post in {channel}: {text}",
    "post to {channel}: {text}",
    "write to {channel}: {text}",
    "tell {channel} that {text}",
    "message {channel}: {text}",
    "dm {channel}: {text}",
    "send {channel} a message: {text}",
    "send {channel} a dm: {text}",
    "say {text} in {channel}",
    "say {text} to {channel}",
  ],
  summary: ({ channel, text }) => `Send to ${formatConversation(channel)}: ${quoteText(text, 500)}`,
  resource: ({ channel }) => formatPlace("to", formatConversationPlace(channel)),
  destinations: ({ channel }) => listDestinations(channel),
  chooseMode: ({ text }) => (mentionsEverybody(text) ? "confirm_before_execution" : undefined),
  placeIsTarget: true,
  describeTarget: ({ channel }, context) => describeConversation(context, channel),
  async run(input, context) {
    const place = await findConversation(context, input.channel, "send");
    const { ts, url } = await postMessage(context, place, input.text);
    return {
      data: { channel: place.name, ts, url },
      text: [`Sent to ${escapeCell(place.name)}.`, url].filter(Boolean).join("\n\n"),
      url,
    };
  },
});

const ReplyInput = z.object({
  channel: CHANNEL_FIELD,
  message: withDescription(
    z.optional(z.string()),
    "Message to reply to: its URL or ts, or some of its words. Default: the newest message.",
  ),
  text: withDescription(z.string(), "The reply, as text or Markdown."),
});

/** Source: https://docs.slack.dev/reference/methods/chat.postMessage/, `thread_ts`. */
export const replyTool = defineTool({
  name: "slack.reply",
  description: "Reply to a Slack message in its thread.",
  access: "write",
  input: ReplyInput,
  examples: [
    "reply in {channel}: {text}",
    "reply to the last message in {channel}: {text}",
    "reply to {message} in {channel}: {text}",
    "answer in {channel}: {text}",
    "reply to {message} in {channel} saying {text}",
  ],
  summary: ({ channel, message, text }) =>
    `Reply in ${formatConversation(channel)} to ${formatMessageRef(message)}: ${quoteText(text, 500)}`,
  resource: ({ channel }) => formatPlace("in", formatConversationPlace(channel)),
  object: ({ message }) => formatMessageRef(message),
  placeIsTarget: true,
  destinations: ({ channel }) => listDestinations(channel),
  chooseMode: ({ text }) => (mentionsEverybody(text) ? "confirm_before_execution" : undefined),
  describeTarget: async (input, context) =>
    describeMessage(context, await findConversation(context, input.channel, "change"), input.message),
  async run(input, context) {
    const place = await findConversation(context, input.channel, "change");
    const message = await findMessage(context.http, place, input.message, "change");
    const { ts, url } = await postMessage(context, place, input.text, message.thread_ts ?? message.ts);
    return {
      data: { channel: place.name, thread: message.thread_ts ?? message.ts, ts, url },
      text: [`Replied in ${escapeCell(place.name)}.`, url].filter(Boolean).join("\n\n"),
      url,
    };
  },
});

const UploadInput = z.object({
  channel: withDescription(z.string(), "Channel such as #general, or a user: @name, full name or email address."),
  attachments: Attachments,
  text: withDescription(z.optional(z.string()), "A message with the files, as text or Markdown."),
});

const Place = z.looseObject({ upload_url: z.string(), file_id: z.string() });
const Shared = z.looseObject({ files: z.array(z.looseObject({ id: z.string(), permalink: z.nullish(z.string()) })) });

const SCOPE = "files:write";

/** Source: https://docs.slack.dev/messaging/working-with-files/#uploading_files */
export const uploadFileTool = defineTool({
  name: "slack.upload_file",
  description: "Share files that the user gave in this conversation in a Slack channel or directly with a user.",
  access: "write",
  input: UploadInput,
  takesAttachments: true,
  examples: [
    "upload {attachments} to {channel}",
    "upload the file {attachments} to {channel}",
    "share the file {attachments} in {channel}",
  ],
  summary: ({ channel, attachments, text }) =>
    `Share ${formatAttachments(attachments)} with ${formatConversation(channel)}${text?.trim() ? `: ${quoteText(text, 500)}` : ""}`,
  resource: ({ channel }) => formatPlace("to", formatConversationPlace(channel)),
  destinations: ({ channel }) => listDestinations(channel),
  chooseMode: ({ text = "" }) => (mentionsEverybody(text) ? "confirm_before_execution" : undefined),
  placeIsTarget: true,
  describeTarget: ({ channel }, context) => describeConversation(context, channel),
  async run(input, context) {
    const files = await loadAttachments(context, input.attachments);
    const place = await findConversation(context, input.channel, "send");
    const comment = input.text?.trim() ? await formatOutgoing(context.http, input.text) : undefined;
    const ids: { id: string; title: string }[] = [];
    for (const file of files) ids.push({ id: await uploadFile(context.http, file), title: file.name });
    const shared = await callMethod(context.http, "files.completeUploadExternal", {
      body: { files: ids, channel_id: place.id, ...(comment ? { initial_comment: comment } : {}) },
      answer: Shared,
      scope: SCOPE,
    });
    const url = shared.files[0]?.permalink ?? undefined;
    return {
      data: { channel: place.name, files: files.map(({ name }) => name), url },
      text: [`Shared in ${escapeCell(place.name)}.`, url].filter(Boolean).join("\n\n"),
      url,
    };
  },
});

/**
 * Uploads a file, which stays invisible, and returns its ID. Slack deletes it unless the upload is completed, so it may
 * be repeated like a read.
 */
async function uploadFile(http: ServiceHttp, { name, bytes }: FileContent): Promise<string> {
  const query = { filename: name, length: bytes.byteLength };
  const request = { query, answer: Place, scope: SCOPE };
  const { upload_url: path, file_id: id } = await callReadMethod(http, "files.getUploadURLExternal", request);
  const headers = { "content-type": "application/octet-stream" };
  await http.request({
    ...{ method: "POST", path, endpoint: "files", headers, body: bytes, reads: true },
    // The response is the text "OK - 12345".
    answerHeader: "content-type",
    answer: z.unknown(),
  });
  return id;
}
