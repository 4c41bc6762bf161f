import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { emptyTextProblem } from "../input-text.ts";
import { markdownToHtml } from "../markup/html.ts";
import { escapeCell, quoteText } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { describeContact, findContact, getContactName } from "./contact.ts";
import { describeDeal, findDeal, getDealName } from "./deal.ts";
import { buildRecordUrl, createRecord, formatRecordPlace, type RecordKind } from "./record.ts";

const Input = z.object({
  text: withDescription(z.string(), "The note, as text or Markdown."),
  contact: withDescription(z.optional(z.string()), "Name, email address or id of the contact."),
  deal: withDescription(z.optional(z.string()), "Name or id of the deal."),
});
type Input = z.output<typeof Input>;

/** HubSpot's association types from a note. */
const NOTE_TO: Record<RecordKind, number> = { contacts: 202, deals: 214 };

/** Longest body of a note, in characters. */
const MAX_NOTE_LENGTH = 65_536;

/**
 * Source: HubSpot CRM v3, POST /crm/v3/objects/notes: `hs_note_body` is HTML, `hs_timestamp` is the position on the
 * timeline. https://developers.hubspot.com/docs/api-reference/crm-notes-v3/guide
 */
export const addNoteTool = defineTool({
  name: "hubspot.add_note",
  description: "Add a note to a contact or a deal in HubSpot.",
  access: "write",
  input: Input,
  examples: [
    "add a note to the contact {contact}: {text}",
    "add a note to the deal {deal}: {text}",
    "add a note to {contact}: {text}",
    "note on the contact {contact}: {text}",
    "note on the deal {deal}: {text}",
    "note on {contact} that {text}",
    "write a note on the deal {deal} saying {text}",
  ],
  summary: (input) => `Note on ${formatSubject(input)}: ${quoteText(input.text, 200)}`,
  resource: formatNotePlace,
  placeIsTarget: true,
  async describeTarget({ contact, deal }, context) {
    const records = [
      ...(contact?.trim() ? [describeContact(await findContact(context, contact))] : []),
      ...(deal?.trim() ? [describeDeal(await findDeal(context, deal), context)] : []),
    ];
    return records.join(" and ");
  },
  async run(input, context) {
    const body = markdownToHtml(input.text);
    if (body === "") throw emptyTextProblem("note");
    if (body.length > MAX_NOTE_LENGTH) {
      throw new Problem(
        "INVALID_REQUEST",
        `The note is longer than the ${MAX_NOTE_LENGTH.toLocaleString("en-US")} characters that HubSpot accepts.`,
        {
          hint: "Split it into several notes.",
          details: { field: "text" },
        },
      );
    }
    const records = await findRecords(input, context);
    const properties = { hs_timestamp: new Date(context.clock.now()).toISOString(), hs_note_body: body };
    const targets = records.map(({ id, kind }) => ({ id, type: NOTE_TO[kind] }));
    const { id } = await createRecord(context.http, "notes", properties, targets);
    const [first] = records;
    const url = first ? buildRecordUrl(context, first.kind, first.id) : undefined;
    const names = records.map(({ name }) => escapeCell(name)).join(" and ");
    return { data: { note: id, records, url }, text: `Added the note to ${names}.\n\n${url ?? ""}`.trim(), url };
  },
});

async function findRecords(
  input: Input,
  context: ToolContext,
): Promise<{ kind: RecordKind; id: string; name: string }[]> {
  const contact = input.contact?.trim() ? await findContact(context, input.contact) : undefined;
  const deal = input.deal?.trim() ? await findDeal(context, input.deal) : undefined;
  const records = [
    ...(contact ? [{ kind: "contacts" as const, id: contact.id, name: getContactName(contact) }] : []),
    ...(deal ? [{ kind: "deals" as const, id: deal.id, name: getDealName(deal) }] : []),
  ];
  if (records.length > 0) return records;
  throw new Problem("INVALID_REQUEST", "A note requires a contact or a deal.", {
    hint: "Specify the contact or the deal.",
    details: { field: "contact" },
  });
}

/** Returns the text of an approval: every record that gets the note. */
function formatNotePlace({ contact, deal }: Input): string | undefined {
  const records = [
    ...(contact?.trim() ? [formatPlace("the contact", formatRecordPlace(contact, "contacts"))] : []),
    ...(deal?.trim() ? [formatPlace("the deal", formatRecordPlace(deal, "deals"))] : []),
  ];
  return records.length === 0 || records.includes(undefined) ? undefined : `to ${records.join(" and ")}`;
}

function formatSubject({ contact, deal }: Input): string {
  const names = [contact?.trim() && `the contact ${contact.trim()}`, deal?.trim() && `the deal ${deal.trim()}`];
  return names.filter(Boolean).join(" and ") || "nothing";
}
