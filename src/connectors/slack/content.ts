import * as z from "zod/mini";
import { catchInvalid } from "../input-text.ts";
import { escapeCell, truncateText } from "../markup/markdown.ts";
import { blocksToMarkdown } from "./blocks.ts";
import {
  escapeMarkdown,
  formatLink,
  listMentionedUsers,
  mrkdwnToMarkdown,
  type Names,
  readLabels,
} from "./mrkdwn-read.ts";

/** A part in another form than documented is left out; the rest of the message stays readable. */
const Text = catchInvalid(z.nullish(z.string()), undefined);
const Blocks = catchInvalid(z.nullish(z.array(z.unknown())), undefined);
const File = z.looseObject({ name: Text, title: Text, mode: Text, preview: Text, plain_text: Text });
const Files = catchInvalid(z.nullish(z.array(catchInvalid(z.nullish(File), null))), undefined);
const Field = z.looseObject({
  title: Text,
  value: catchInvalid(z.nullish(z.union([z.string(), z.number(), z.boolean()])), undefined),
});
/** Source: https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments */
const Attachment = z.looseObject({
  pretext: Text,
  author_name: Text,
  title: Text,
  title_link: Text,
  text: Text,
  fields: catchInvalid(z.nullish(z.array(catchInvalid(z.nullish(Field), null))), undefined),
  blocks: Blocks,
  message_blocks: catchInvalid(
    z.nullish(z.array(z.looseObject({ message: z.nullish(z.looseObject({ blocks: Blocks })) }))),
    undefined,
  ),
  files: Files,
  footer: Text,
  fallback: Text,
});
type Attachment = z.output<typeof Attachment>;

/** The content of a message: its text, and what apps put into blocks, attachments and files. */
export const CONTENT = {
  text: Text,
  subtype: Text,
  bot_id: Text,
  blocks: Blocks,
  attachments: catchInvalid(z.nullish(z.array(catchInvalid(z.nullish(Attachment), null))), undefined),
  files: Files,
};
const Content = z.looseObject(CONTENT);
export type Content = z.output<typeof Content>;

/** Longest message shown to the user and the model, and longest excerpt of a file, in characters. */
const MAX_MESSAGE_LENGTH = 4_000;
const MAX_PREVIEW_LENGTH = 500;

/** Lists the IDs of the users that a message mentions. */
export function listContentUsers({ text, blocks, attachments }: Content): string[] {
  const inside = blocks || attachments ? stringify([blocks, attachments]) : "";
  const ids = [...inside.matchAll(/"user_id":"([A-Z0-9]+)"/g)].map((match) => match[1] ?? "");
  return [...listMentionedUsers(text ?? ""), ...listMentionedUsers(inside), ...ids];
}

/** Returns JSON, or nothing for blocks that are nested beyond reading. */
function stringify(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "";
  }
}

/**
 * Converts a message to Markdown: text, blocks, attachments and the names of files. Repeated content is shown once.
 */
export function toMarkdown(content: Content, { users }: Pick<Names, "users">): string {
  const { text, subtype, bot_id: bot } = content;
  const names = { users, ...readLabels(text ?? "") };
  const blocks = blocksToMarkdown(content.blocks, names);
  // For users, Slack derives the text from the rich text. Only apps send both.
  const isWritten = !bot && blocks !== "" && (content.blocks ?? []).some(isRichText);
  const parts = [
    isWritten ? "" : mrkdwnToMarkdown(text ?? "", names),
    blocks,
    ...dropMissing(content.attachments).map((attachment) => formatAttachment(attachment, names)),
    ...formatFiles(content.files),
  ];
  const body = truncateText(dropRepeated(parts).join("\n\n"), MAX_MESSAGE_LENGTH);
  return body === "" && subtype ? `(${subtype.replaceAll("_", " ")})` : body;
}

function dropMissing<T>(list: (T | null | undefined)[] | null | undefined): T[] {
  return (list ?? []).filter((item) => item !== null && item !== undefined);
}

function isRichText(block: unknown): boolean {
  return typeof block === "object" && block !== null && (block as { type?: unknown }).type === "rich_text";
}

function formatAttachment(attachment: Attachment, names: Names): string {
  const { title, title_link: link, fallback, message_blocks: shared } = attachment;
  const parts = [
    mrkdwnToMarkdown(attachment.pretext ?? "", names),
    escapeMarkdown(attachment.author_name ?? ""),
    title ? `**${link ? formatLink(escapeMarkdown(title), link) : mrkdwnToMarkdown(title, names)}**` : "",
    mrkdwnToMarkdown(attachment.text ?? "", names),
    dropMissing(attachment.fields)
      .map((field) => formatField(field, names))
      .join("\n"),
    blocksToMarkdown(attachment.blocks, names),
    ...(shared ?? []).map(({ message }) => blocksToMarkdown(message?.blocks, names)),
    ...formatFiles(attachment.files),
    escapeMarkdown(attachment.footer ?? ""),
  ];
  const texts = dropRepeated(parts);
  return texts.length > 0 ? texts.join("\n\n") : mrkdwnToMarkdown(fallback ?? "", names);
}

function formatField({ title, value }: z.output<typeof Field>, names: Names): string {
  const text = mrkdwnToMarkdown(String(value ?? ""), names);
  return title ? `${escapeMarkdown(title)}: ${text}` : text;
}

function formatFiles(files: z.output<typeof Files>): string[] {
  return dropMissing(files).map(({ name, title, mode, preview, plain_text: mail }) => {
    const status = mode === "tombstone" ? "deleted" : mode === "hidden_by_limit" ? "no longer kept" : "unnamed";
    const head = `(file: ${escapeCell(title || name || status)})`;
    const text = truncateText((mail || preview || "").trim(), MAX_PREVIEW_LENGTH);
    return text === "" ? head : `${head}\n\n${escapeMarkdown(text)}`;
  });
}

/**
 * Drops parts that another part says too: Slack repeats the blocks of a message in its text, as a fallback. Of few
 * words, only an equal part says the same.
 */
function dropRepeated(parts: string[]): string[] {
  const texts = parts.filter(Boolean);
  const words = texts.map(
    (part) =>
      ` ${part
        .replace(/[^\p{L}\p{N}]+/gu, " ")
        .trim()
        .toLowerCase()} `,
  );
  return texts.filter((part, index) => {
    const word = words[index] ?? "";
    if (word.trim() === "") return texts.indexOf(part) === index;
    if (words.indexOf(word) < index) return false;
    return (
      word.split(" ").length < FEW_WORDS || !words.some((otherWord) => otherWord !== word && otherWord.includes(word))
    );
  });
}

const FEW_WORDS = 6;
