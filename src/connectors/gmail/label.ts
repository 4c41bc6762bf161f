import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import { formatPlace, narrowPlace, quoteName } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { findMessage } from "./find.ts";
import { buildThreadUrl, describeMessage, formatMessageLine, GMAIL_SCOPE, toMessageData } from "./message.ts";

const LabelInput = z.object({
  message: withDescription(z.string(), "ID of a message in the conversation, or its subject."),
  label: withDescription(z.string(), '"read", "unread", "starred", "important", "spam", or the name of a label.'),
  remove: withDescription(z.optional(z.boolean()), "Whether to remove the label."),
});
type LabelInput = z.output<typeof LabelInput>;

const Labels = z.looseObject({ labels: z.nullish(z.array(z.looseObject({ id: z.string(), name: z.string() }))) });

type Change = { addLabelIds?: string[]; removeLabelIds?: string[] };

/** Source: Gmail API v1, GET /gmail/v1/users/{userId}/labels and POST …/threads/{id}/modify. */
export const changeLabelTool = defineTool({
  name: "gmail.label",
  description: "Label an email conversation in Gmail, or mark it as read, unread, starred or important.",
  access: "write",
  input: LabelInput,
  examples: [
    "label the email {message} as {label}",
    "label {message} as {label}",
    "mark the email {message} as {label}",
    "mark {message} as {label}",
    "add the label {label} to the email {message}",
    "put the label {label} on the email {message}",
    "star the email {message}",
  ],
  summary: ({ message, label, remove }) =>
    remove
      ? `Remove ${escapeCell(label)} from the email ${escapeCell(message)}`
      : `Mark the email ${escapeCell(message)} as ${escapeCell(label)}`,
  resource: ({ message, label, remove }) =>
    narrowPlace(formatPlace(remove ? "without" : "with", quoteName(label)), quoteName(message)),
  placeIsTarget: true,
  describeTarget: async ({ message }, context) => describeMessage(await findMessage(context, message, "change")),
  async run(input, context) {
    const message = await findMessage(context, input.message, "change");
    const change = findSystemChange(input) ?? (await findLabelChange(input, context));
    await context.http.request({
      method: "POST",
      path: `/gmail/v1/users/me/threads/${encodeURIComponent(message.threadId)}/modify`,
      body: change,
      answer: z.unknown(),
      scope: GMAIL_SCOPE,
    });
    const url = buildThreadUrl(message.threadId, context);
    const { id, thread, subject } = toMessageData(message, context);
    const outcome = input.remove ? "is no longer marked as" : "is marked as";
    const data = { id, thread, subject, label: input.label.trim(), removed: input.remove === true, url };
    return { data, text: `${formatMessageLine(message)} ${outcome} ${escapeCell(input.label)}.\n\n${url}`, url };
  },
});

/** Returns the change for a label that Gmail defines. "read" removes a label. */
function findSystemChange({ label: name, remove }: LabelInput): Change | undefined {
  const word = name.trim().toLowerCase();
  if (word === "read" || word === "unread") {
    const unread = (word === "unread") !== (remove === true);
    return unread ? { addLabelIds: ["UNREAD"] } : { removeLabelIds: ["UNREAD"] };
  }
  if (word === "spam")
    return remove
      ? { removeLabelIds: ["SPAM"], addLabelIds: ["INBOX"] }
      : { addLabelIds: ["SPAM"], removeLabelIds: ["INBOX"] };
  const id = /^(starred|star)$/.test(word) ? "STARRED" : word === "important" ? "IMPORTANT" : undefined;
  return id === undefined ? undefined : getChange(id, remove);
}

async function findLabelChange({ label: name, remove }: LabelInput, { http }: ToolContext): Promise<Change> {
  const { labels } = await http.request({ path: "/gmail/v1/users/me/labels", answer: Labels, scope: GMAIL_SCOPE });
  const ownLabels = (labels ?? []).filter(({ id }) => id.startsWith("Label_"));
  const label = ownLabels.find((label) => label.name.toLowerCase() === name.trim().toLowerCase());
  if (label) return getChange(label.id, remove);
  const labelNames = ownLabels.map((label) => label.name).join(", ");
  throw new Problem("INVALID_REQUEST", `No label in Gmail is called “${name.trim()}”.`, {
    hint: labelNames ? `Available labels: ${labelNames}.` : "Create the label in Gmail first.",
    details: { field: "label" },
  });
}

function getChange(id: string, remove: boolean | undefined): Change {
  return remove ? { removeLabelIds: [id] } : { addLabelIds: [id] };
}

const ArchiveInput = z.object({
  message: withDescription(z.string(), "ID of a message in the conversation, or its subject."),
});

/** Source: Gmail API v1, POST /gmail/v1/users/{userId}/threads/{id}/modify. */
export const archiveTool = defineTool({
  name: "gmail.archive",
  description: "Archive an email conversation in Gmail. It leaves the inbox and stays in All Mail.",
  access: "write",
  input: ArchiveInput,
  examples: [
    "archive the email {message}",
    "archive {message}",
    "archive the message {message}",
    "move the email {message} out of my inbox",
  ],
  summary: ({ message }) => `Archive the conversation of the email ${escapeCell(message)}`,
  describeTarget: async ({ message }, context) => describeMessage(await findMessage(context, message, "change")),
  async run(input, context) {
    const message = await findMessage(context, input.message, "change");
    await context.http.request({
      method: "POST",
      path: `/gmail/v1/users/me/threads/${encodeURIComponent(message.threadId)}/modify`,
      body: { removeLabelIds: ["INBOX"] },
      answer: z.unknown(),
      scope: GMAIL_SCOPE,
    });
    const url = buildThreadUrl(message.threadId, context);
    const { id, thread, from, subject } = toMessageData(message, context);
    const data = { id, thread, from, subject, archived: true, url };
    return { data, text: `Archived ${formatMessageLine(message)}.\n\n${url}`, url };
  },
});
