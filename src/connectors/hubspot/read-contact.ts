import * as z from "zod/mini";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatCount, formatNoun } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { CONTACT_PROPERTIES, type Contact, findContact, formatContactTable, toContact } from "./contact.ts";
import { DEAL_PROPERTIES, type Deal, formatDealTable, toDeals } from "./deal.ts";
import { listPipelines } from "./pipelines.ts";
import { CrmRecord, type PropertyFilter, searchRecords } from "./record.ts";

const SearchContactsInput = z.object({
  text: withDescription(z.optional(z.string()), "Words in the contact's name, email address, phone number or company."),
  company: withDescription(z.optional(z.string()), "Only contacts at this company."),
});
type SearchContactsInput = z.output<typeof SearchContactsInput>;

/** Source: HubSpot CRM v3, POST /crm/v3/objects/contacts/search. */
export const searchContactsTool = defineListTool({
  name: "hubspot.search_contacts",
  description: "Find contacts in HubSpot by name, address, phone or company, most recently changed first.",
  input: SearchContactsInput,
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
  summary: (input) => `Search HubSpot for ${describeSearch(input)}`,
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

function describeSearch({ text, company }: SearchContactsInput, number = 2): string {
  const about = text?.trim() ? ` matching “${text.trim()}”` : "";
  return `${formatNoun(number, "contact")}${about}${company?.trim() ? ` at ${company.trim()}` : ""}`;
}

const GetContactInput = z.object({
  contact: withDescription(z.string(), "Name, email address or id of the contact."),
});

const Batch = z.looseObject({ results: z.array(CrmRecord) });

/** Source: HubSpot CRM v3, GET /crm/v3/objects/contacts/{id}?associations=deals and POST …/deals/batch/read. */
export const getContactTool = defineTool({
  name: "hubspot.get_contact",
  description: "Read one HubSpot contact with its deals: address, phone, company, job and lifecycle stage.",
  access: "read",
  input: GetContactInput,
  examples: [
    "show the contact {contact}",
    "show me the contact {contact} in hubspot",
    "read the contact {contact}",
    "what is the phone number of {contact}",
    "what is the email of {contact}",
    "which deals does {contact} have",
    "who is {contact} in hubspot",
  ],
  summary: ({ contact }) => `Read the contact ${contact.trim()}`,
  async run(input, context) {
    const record = await findContact(context, input.contact, "deals");
    const contact = toContact(record, context);
    const { deals, total, more } = await fetchContactDeals(context, record);
    const text = formatContact(contact, deals, more ? `more than ${total}` : total);
    return {
      data: { ...contact, deals, deals_total: total, ...(more ? { more_deals: true } : {}) },
      text,
      url: contact.url,
    };
  },
});

/**
 * Returns the deals of a contact, at most one hundred, and how many it has. HubSpot lists an ID once per type of
 * association, and answers 207 without the deals that were deleted or that the account may not see.
 */
async function fetchContactDeals(
  context: ToolContext,
  { associations }: CrmRecord,
): Promise<{ deals: Deal[]; total: number; more: boolean }> {
  const ids = [...new Set((associations?.deals?.results ?? []).map(({ id }) => id))];
  const more = Boolean(associations?.deals?.paging);
  if (ids.length === 0) return { deals: [], total: 0, more };
  const body = { properties: DEAL_PROPERTIES, inputs: ids.slice(0, 100).map((id) => ({ id })) };
  const request = { method: "POST", path: "/crm/v3/objects/deals/batch/read", body, reads: true } as const;
  const { results } = await context.http.request({ ...request, answer: Batch, scope: "crm.objects.deals.read" });
  return { deals: toDeals(results, await listPipelines(context), context), total: ids.length, more };
}

function formatContact(contact: Contact, deals: Deal[], total: number | string): string {
  const facts: [string, string | null][] = [
    ["E-mail", contact.email],
    ["Phone", contact.phone],
    ["Company", contact.company],
    ["Job", contact.job_title],
    ["Lifecycle stage", contact.lifecycle_stage],
    ["Updated", contact.updated?.slice(0, 10) ?? null],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`- ${name}: ${escapeCell(value)}`] : [])).join("\n");
  const list = deals.length > 0 ? `Deals:\n\n${formatDealTable(deals)}` : total === 0 ? "No deals." : "";
  const remainder =
    deals.length === total
      ? ""
      : `(kay read ${deals.length} of ${typeof total === "string" ? `${total} deals` : formatCount(total, "deal")}.)`;
  const head = `**${escapeCell(contact.name)}** (${contact.id})\n${contact.url}`;
  return [head, lines, list, remainder].filter(Boolean).join("\n\n");
}
