import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { getContactName, splitFullName } from "./contact.ts";
import { buildRecordUrl, createRecord, pickGiven } from "./record.ts";

const Input = z.object({
  name: withDescription(z.optional(z.string()), "Full name of the person."),
  email: withDescription(z.optional(z.string()), "Address, such as ann@example.com."),
  phone: withDescription(z.optional(z.string()), "Phone number."),
  company: withDescription(z.optional(z.string()), "Company of the contact."),
  job_title: withDescription(z.optional(z.string()), "Position at the company."),
});
type Input = z.output<typeof Input>;

/** Source: HubSpot CRM v3, POST /crm/v3/objects/contacts; 409 when the address is taken. */
export const createContactTool = defineTool({
  name: "hubspot.create_contact",
  description: "Create a contact in HubSpot.",
  access: "write",
  input: Input,
  examples: [
    "create a contact {name}",
    "create a contact for {name} with email {email}",
    "create the contact {email} {name}",
    "create a contact for {name} at {company}",
    "add a contact {name} with the address {email}",
    "add {name} to hubspot",
    "add {email} to hubspot",
    "add {name} as a contact with email {email}",
    "new contact {name} at {company} with email {email}",
  ],
  summary: describeCall,
  resource: () => "among the contacts",
  async run(input, context) {
    const { name, email, phone, company, job_title: jobtitle } = input;
    const properties = pickGiven({ ...splitFullName(name), email, phone, company, jobtitle });
    if (!properties.email && !properties.firstname) {
      throw new Problem("INVALID_REQUEST", "A contact needs a name or an email address.", {
        details: { field: "name" },
      });
    }
    const record = await createRecord(context.http, "contacts", properties);
    const url = buildRecordUrl(context, "contacts", record.id);
    const shown = getContactName({ ...record, properties: { ...properties, ...record.properties } });
    return {
      data: { id: record.id, name: shown, url },
      text: `Created the contact ${escapeCell(shown)}.\n\n${url}`,
      url,
    };
  },
});

function describeCall({ name, email, phone, company, job_title }: Input): string {
  const who = name?.trim() || email?.trim() || "without a name";
  const more = [
    name?.trim() && email?.trim() && `email ${email.trim()}`,
    phone?.trim() && `phone ${phone.trim()}`,
    company?.trim() && `company ${company.trim()}`,
    job_title?.trim() && `job ${job_title.trim()}`,
  ].filter(Boolean);
  return `Create the contact ${who}${more.length > 0 ? ` (${more.join(", ")})` : ""}`;
}
