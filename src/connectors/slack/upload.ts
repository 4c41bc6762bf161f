import * as z from "zod/mini";
import { Attachments, formatAttachments, loadAttachments } from "../attachments.ts";
import { escapeCell, quoteText } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import type { ServiceHttp } from "../service-http.ts";
import { defineTool, type FileContent, withDescription } from "../tool.ts";
import { callMethod, callReadMethod } from "./call.ts";
import {
  describeConversation,
  findConversation,
  formatConversation,
  formatConversationPlace,
  listDestinations,
} from "./channels.ts";
import { formatOutgoing, mentionsEverybody } from "./outgoing.ts";

const Input = z.object({
  channel: withDescription(z.string(), "Channel such as #general, or a user: @name, full name or email address."),
  attachments: Attachments,
  text: withDescription(z.optional(z.string()), "A message with the files, as text or Markdown."),
});
type Input = z.output<typeof Input>;

const Place = z.looseObject({ upload_url: z.string(), file_id: z.string() });
const Shared = z.looseObject({ files: z.array(z.looseObject({ id: z.string(), permalink: z.nullish(z.string()) })) });

const SCOPE = "files:write";

/** Source: https://docs.slack.dev/messaging/working-with-files/#uploading_files */
export const uploadFileTool = defineTool({
  name: "slack.upload_file",
  description: "Share files that the user gave in this conversation in a Slack channel or directly with a user.",
  access: "write",
  input: Input,
  takesAttachments: true,
  examples: [
    "upload {attachments} to {channel}",
    "upload the file {attachments} to {channel}",
    "share the file {attachments} in {channel}",
  ],
  summary: ({ channel, attachments, text }: Input) =>
    `Share ${formatAttachments(attachments)} with ${formatConversation(channel)}${text?.trim() ? `: ${quoteText(text, 500)}` : ""}`,
  resource: ({ channel }: Input) => formatPlace("to", formatConversationPlace(channel)),
  destinations: ({ channel }: Input) => listDestinations(channel),
  chooseMode: ({ text = "" }: Input) => (mentionsEverybody(text) ? "confirm_before_execution" : undefined),
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
 * Uploads a file, which stays invisible, and returns its ID. Slack deletes it unless the upload is completed, so it may be
 * repeated like a read.
 */
async function uploadFile(http: ServiceHttp, { name, bytes }: FileContent): Promise<string> {
  const query = { filename: name, length: bytes.byteLength };
  const request = { query, answer: Place, scope: SCOPE };
  const { upload_url: path, file_id: id } = await callReadMethod(http, "files.getUploadURLExternal", request);
  const headers = { "content-type": "application/octet-stream" };
  await http.request({
    ...{ method: "POST", path, endpoint: "files", headers, body: bytes, reads: true },
    // The answer is the text "OK - 12345".
    answerHeader: "content-type",
    answer: z.unknown(),
  });
  return id;
}
