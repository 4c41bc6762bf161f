import * as z from "zod/mini";
import { checkLength, emptyTextProblem } from "../input-text.ts";
import type { ServiceHttp } from "../service-http.ts";
import type { ToolContext } from "../tool.ts";
import { callMethod } from "./call.ts";
import type { Conversation } from "./channels.ts";
import { buildMessageUrl } from "./message.ts";
import { markdownToMrkdwn } from "./mrkdwn-write.ts";
import { listPeople } from "./people.ts";

const Posted = z.looseObject({ channel: z.string(), ts: z.string() });

/** Longest message that Slack accepts, in characters. */
const TEXT_LIMIT = 40_000;

/**
 * Posts a message as the user. Source: https://docs.slack.dev/reference/methods/chat.postMessage/
 *
 * @param thread `ts` of the message to reply to
 * @throws Problem INVALID_REQUEST when the text is empty or too long
 */
export async function postMessage(
  context: Pick<ToolContext, "http" | "metadata">,
  { id }: Conversation,
  markdown: string,
  thread?: string,
): Promise<{ ts: string; url: string | undefined }> {
  const text = await formatOutgoing(context.http, markdown);
  const body = { channel: id, text, ...(thread ? { thread_ts: thread } : {}) };
  const { ts, channel } = await callMethod(context.http, "chat.postMessage", {
    body,
    answer: Posted,
    scope: "chat:write",
  });
  return { ts, url: buildMessageUrl(context, channel, { ts, thread_ts: thread }) };
}

/** Converts Markdown to the text of a message, with mentions. @throws Problem INVALID_REQUEST as {@link postMessage} */
export async function formatOutgoing(http: ServiceHttp, markdown: string): Promise<string> {
  return await addMentions(http, checkText(markdownToMrkdwn(markdown)));
}

/** Returns whether a text addresses everyone at once: `@channel`, `@here`, `@everyone`, or Slack's syntax for them. */
export function mentionsEverybody(text: string): boolean {
  return /(?<![\p{L}\p{N}._-])@(?:channel|here|everyone|group)(?![\p{L}\p{N}_-])|<!(?:channel|here|everyone|group|subteam)/iu.test(
    text.normalize("NFKC").replace(/\p{Cf}/gu, ""),
  );
}

function checkText(text: string): string {
  if (text === "") throw emptyTextProblem("message");
  checkLength(text, TEXT_LIMIT, { service: "Slack", noun: "message", hint: "Shorten it, or send it in parts." });
  return text;
}

/** Converts `@sam` to a mention if a user has that handle. `@channel` and `@here` never notify anyone. */
async function addMentions(http: ServiceHttp, text: string): Promise<string> {
  if (!HANDLE.test(text)) return text;
  const { people } = await listPeople(http);
  const ids = new Map(
    people.flatMap(({ id, name, profile }) => [
      [profile?.display_name?.toLowerCase() ?? "", id] as const,
      [name?.toLowerCase() ?? "", id] as const,
    ]),
  );
  return text
    .split(/(```[\s\S]*?```|`[^`\n]+`|<[^<>]+>)/)
    .map((piece, index) =>
      index % 2 === 1
        ? piece
        : piece.replace(new RegExp(HANDLE, "gu"), (handle, name: string) => {
            const id = ids.get(name.toLowerCase());
            return id === undefined ? handle : `<@${id}>`;
          }),
    )
    .join("");
}

const HANDLE = /(?<![\p{L}\p{N}@._-])@([\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?)/u;
