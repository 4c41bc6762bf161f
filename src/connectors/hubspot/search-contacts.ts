import * as z from "zod/mini";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell } from "../markup/markdown.ts";
import { withDescription } from "../tool.ts";
import { CONTACT_PROPERTIES, formatContactTable, toContact } from "./contact.ts";
import { type PropertyFilter, searchRecords } from "./record.ts";

const Input = z.object({
  text: withDescription(z.optional(z.string()), "Words in the contact's name, email address, phone number or company."),
  company: withDescription(z.optional(z.string()), "Only contacts at this company."),
});
type Input = z.output<typeof Input>;

/** Source: HubSpot CRM v3, POST /crm/v3/objects/contacts/search. */
export const searchContactsTool = defineListTool({
  name: "hubspot.search_contacts",
  description: "Find contacts in HubSpot by name, address, phone or company, most recently changed first.",
  input: Input,
  limit: { usual: 20, most: 100 },
  examples: [
    "find contacts called {text}",
    "find the contact {text}",
    "search hubspot for {text}",
    "search contacts for {text}",
    "list contacts at {company}",
    "show the contacts at {company}",
    "which contacts do we have at {company}",
    "who do we know at {company}",
    "list my contacts",
    "show recent contacts",
  ],
  summary: (input: Input) => `Search HubSpot for ${describeSearch(input)}`,
  async run(input, context, list) {
    const filters: PropertyFilter[] = input.company?.trim()
      ? [{ propertyName: "company", operator: "CONTAINS_TOKEN", value: input.company.trim() }]
      : [];
    const search = { text: input.text, filters, properties: CONTACT_PROPERTIES, sort: "lastmodifieddate" };
    const { records, total, more } = await searchRecords(context.http, "contacts", search, list);
    const contacts = records.map((record) => toContact(record, context));
    const url =
      typeof context.metadata.url === "string" ? `${context.metadata.url}/objects/0-1/views/all/list` : undefined;
    return {
      data: { contacts, total },
      text: formatList(list, {
        count: contacts.length,
        words: escapeCell(describeSearch(input, total)),
        ...{ more, total },
        items: () => formatContactTable(contacts),
      }),
      url,
    };
  },
});

function describeSearch({ text, company }: Input, number = 2): string {
  const about = text?.trim() ? ` matching “${text.trim()}”` : "";
  return `contact${number === 1 ? "" : "s"}${about}${company?.trim() ? ` at ${company.trim()}` : ""}`;
}
