import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describe } from "../fields.ts";
import { cell } from "../markdown.ts";
import { placed, quotedName } from "../resource.ts";
import { defineTool, type ToolContext } from "../service.ts";
import { messageOf } from "./find.ts";
import { GMAIL_SCOPE, messageData, messageLine, threadUrl } from "./message.ts";

const Input = z.object({
  message: describe(z.string(), "Id of a message of the conversation, or words of its subject."),
  label: describe(z.string(), '"read", "unread", "starred", "important", "spam", or the name of a label.'),
  remove: describe(z.optional(z.boolean()), "Whether the label is to be taken off."),
});
type Input = z.output<typeof Input>;

const Labels = z.looseObject({ labels: z.nullish(z.array(z.looseObject({ id: z.string(), name: z.string() }))) });

type Change = { addLabelIds?: string[]; removeLabelIds?: string[] };

/** Source: Gmail API v1, GET /gmail/v1/users/{userId}/labels and POST …/threads/{id}/modify. */
export const label = defineTool({
  name: "gmail.label",
  description: "Label an e-mail conversation in Gmail, or mark it as read, unread, starred or important.",
  access: "write",
  input: Input,
  examples: [
    "label the email {message} as {label}",
    "label {message} as {label}",
    "mark the email {message} as {label}",
    "add the label {label} to the email {message}",
    "put the label {label} on the email {message}",
  ],
  summary: ({ message, label, remove }: Input) =>
    remove
      ? `Take ${cell(label)} off the e-mail ${cell(message)}`
      : `Mark the e-mail ${cell(message)} as ${cell(label)}`,
  resource: ({ label, remove }: Input) => placed(remove ? "without" : "with", quotedName(label)),
  async run(input, context) {
    const message = await messageOf(context, input.message);
    const change = systemChange(input) ?? (await labelChange(input, context));
    await context.http.request({
      method: "POST",
      path: `/gmail/v1/users/me/threads/${encodeURIComponent(message.threadId)}/modify`,
      body: change,
      answer: z.unknown(),
      scope: GMAIL_SCOPE,
    });
    const url = threadUrl(message.threadId, context);
    const { id, thread, subject } = messageData(message, context);
    const done = input.remove ? "is no longer marked as" : "is marked as";
    const data = { id, thread, subject, label: input.label.trim(), removed: input.remove === true, url };
    return { data, text: `${messageLine(message)} ${done} ${cell(input.label)}.\n\n${url}`, url };
  },
});

/** Labels that Gmail has itself; "read" is the absence of one. */
function systemChange({ label: name, remove }: Input): Change | undefined {
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
  return id === undefined ? undefined : changeOf(id, remove);
}

async function labelChange({ label: name, remove }: Input, { http }: ToolContext): Promise<Change> {
  const { labels } = await http.request({ path: "/gmail/v1/users/me/labels", answer: Labels, scope: GMAIL_SCOPE });
  const own = (labels ?? []).filter(({ id }) => id.startsWith("Label_"));
  const found = own.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
  if (found) return changeOf(found.id, remove);
  const known = own.map((one) => one.name).join(", ");
  throw new Problem("INVALID_REQUEST", `There is no label “${name.trim()}” in Gmail.`, {
    hint: known ? `The labels are ${known}.` : "Make the label in Gmail first.",
    details: { field: "label" },
  });
}

function changeOf(id: string, remove: boolean | undefined): Change {
  return remove ? { removeLabelIds: [id] } : { addLabelIds: [id] };
}
