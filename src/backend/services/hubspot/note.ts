import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describe } from "../fields.ts";
import { markdownHtml } from "../html.ts";
import { cell, excerpt } from "../markdown.ts";
import { placed } from "../resource.ts";
import { defineTool, type ToolContext } from "../service.ts";
import { contactName, findContact } from "./contact.ts";
import { dealName, findDeal } from "./deal.ts";
import { createRecord, type Kind, namedRecord, recordUrl } from "./record.ts";

const Input = z.object({
  text: describe(z.string(), "The note, as text or Markdown."),
  contact: describe(z.optional(z.string()), "Name, e-mail address or id of the contact it is about."),
  deal: describe(z.optional(z.string()), "Name or id of the deal it is about."),
});
type Input = z.output<typeof Input>;

/** HubSpot's own kinds of association from a note. */
const NOTE_TO: Record<Kind, number> = { contacts: 202, deals: 214 };

/** Longest body of a note, in characters. */
const LONGEST = 65_536;

/**
 * Source: HubSpot CRM v3, POST /crm/v3/objects/notes: `hs_note_body` is HTML, `hs_timestamp` says where on the timeline it stands.
 * https://developers.hubspot.com/docs/api-reference/crm-notes-v3/guide
 */
export const addNote = defineTool({
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
  summary: (input: Input) => `Note on ${about(input)}: “${excerpt(input.text.replace(/\s+/g, " ").trim(), 200)}”`,
  resource: aboutWords,
  async run(input, context) {
    const body = markdownHtml(input.text);
    if (body === "") throw new Problem("INVALID_REQUEST", "A note needs some text.", { details: { field: "text" } });
    if (body.length > LONGEST) {
      throw new Problem(
        "INVALID_REQUEST",
        `The note is longer than the ${LONGEST.toLocaleString("en-US")} characters that HubSpot takes.`,
        {
          hint: "Split it.",
          details: { field: "text" },
        },
      );
    }
    const records = await recordsFor(input, context);
    const properties = { hs_timestamp: new Date(context.clock.now()).toISOString(), hs_note_body: body };
    const tied = records.map(({ id, kind }) => ({ id, type: NOTE_TO[kind] }));
    const { id } = await createRecord(context.http, "notes", properties, tied);
    const [first] = records;
    const url = first ? recordUrl(context, first.kind, first.id) : undefined;
    const names = records.map(({ name }) => cell(name)).join(" and ");
    return { data: { note: id, records, url }, text: `Added the note to ${names}.\n\n${url ?? ""}`.trim(), url };
  },
});

async function recordsFor(input: Input, context: ToolContext): Promise<{ kind: Kind; id: string; name: string }[]> {
  const contact = input.contact?.trim() ? await findContact(context, input.contact) : undefined;
  const deal = input.deal?.trim() ? await findDeal(context, input.deal) : undefined;
  const records = [
    ...(contact ? [{ kind: "contacts" as const, id: contact.id, name: contactName(contact) }] : []),
    ...(deal ? [{ kind: "deals" as const, id: deal.id, name: dealName(deal) }] : []),
  ];
  if (records.length > 0) return records;
  throw new Problem("INVALID_REQUEST", "A note needs a contact or a deal that it is about.", {
    hint: "Name the contact or the deal.",
    details: { field: "contact" },
  });
}

/** The words of a grant: every record that the note would stand at. */
function aboutWords({ contact, deal }: Input): string | undefined {
  const records = [
    ...(contact?.trim() ? [placed("the contact", namedRecord(contact, "contacts"))] : []),
    ...(deal?.trim() ? [placed("the deal", namedRecord(deal, "deals"))] : []),
  ];
  return records.length === 0 || records.includes(undefined) ? undefined : `to ${records.join(" and ")}`;
}

function about({ contact, deal }: Input): string {
  const names = [contact?.trim() && `the contact ${contact.trim()}`, deal?.trim() && `the deal ${deal.trim()}`];
  return names.filter(Boolean).join(" and ") || "nothing";
}
