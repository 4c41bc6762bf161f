import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import { formatPlace, narrowPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { describeContact, findContact, getContactName, splitFullName, toContact } from "./contact.ts";
import {
  buildRecordUrl,
  createRecord,
  dropEmptyProperties,
  formatRecordPlace,
  nameChanges,
  patchRecord,
} from "./record.ts";

const CreateContactInput = z.object({
  name: withDescription(z.optional(z.string()), "Full name of the person."),
  email: withDescription(z.optional(z.string()), "Address, such as ann@example.com."),
  phone: withDescription(z.optional(z.string()), "Phone number."),
  company: withDescription(z.optional(z.string()), "Company of the contact."),
  job_title: withDescription(z.optional(z.string()), "Position at the company."),
});
type CreateContactInput = z.output<typeof CreateContactInput>;

/** Source: HubSpot CRM v3, POST /crm/v3/objects/contacts; 409 when the address is taken. */
export const createContactTool = defineTool({
  name: "hubspot.create_contact",
  description: "Create a contact in HubSpot.",
  access: "write",
  input: CreateContactInput,
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
    const properties = dropEmptyProperties({ ...splitFullName(name), email, phone, company, jobtitle });
    if (!properties.email && !properties.firstname) {
      throw new Problem("INVALID_REQUEST", "A contact needs a name or an email address.", {
        details: { field: "name" },
      });
    }
    const record = await createRecord(context.http, "contacts", properties);
    const url = buildRecordUrl(context, "contacts", record.id);
    const contactName = getContactName({ ...record, properties: { ...properties, ...record.properties } });
    return {
      data: { id: record.id, name: contactName, url },
      text: `Created the contact ${escapeCell(contactName)}.\n\n${url}`,
      url,
    };
  },
});

function describeCall({ name, email, phone, company, job_title }: CreateContactInput): string {
  const subject = name?.trim() || email?.trim() || "without a name";
  const details = [
    name?.trim() && email?.trim() && `email ${email.trim()}`,
    phone?.trim() && `phone ${phone.trim()}`,
    company?.trim() && `company ${company.trim()}`,
    job_title?.trim() && `job ${job_title.trim()}`,
  ].filter(Boolean);
  return `Create the contact ${subject}${details.length > 0 ? ` (${details.join(", ")})` : ""}`;
}

const UpdateContactInput = z.object({
  contact: withDescription(z.string(), "Name, email address or id of the contact."),
  email: withDescription(z.optional(z.string()), "New address, such as ann@example.com."),
  phone: withDescription(z.optional(z.string()), "New phone number."),
  company: withDescription(z.optional(z.string()), "New company."),
  job_title: withDescription(z.optional(z.string()), "New position."),
  new_name: withDescription(z.optional(z.string()), "New full name."),
  lifecycle_stage: withDescription(
    z.optional(z.string()),
    '"subscriber", "lead", "opportunity", "customer", "evangelist", or the internal name of another stage of the account.',
  ),
});
type UpdateContactInput = z.output<typeof UpdateContactInput>;

/** Source: HubSpot CRM v3, PATCH /crm/v3/objects/contacts/{id}; other properties stay. */
export const updateContactTool = defineTool({
  name: "hubspot.update_contact",
  description: "Change the address, phone, company, job, name or lifecycle stage of a HubSpot contact.",
  access: "write",
  input: UpdateContactInput,
  examples: [
    "set the phone of {contact} to {phone}",
    "change the phone number of {contact} to {phone}",
    "set the email of {contact} to {email}",
    "change the email of {contact} to {email}",
    "update the company of {contact} to {company}",
    "set the job of {contact} to {job_title}",
    "rename the contact {contact} to {new_name}",
    "mark the contact {contact} as {lifecycle_stage}",
    "make {contact} a {lifecycle_stage}",
  ],
  summary: (input) => `Change the contact ${input.contact.trim()}: ${listChanges(input).join(", ") || "nothing"}`,
  resource: ({ contact, ...changes }) =>
    narrowPlace(formatPlace("for the contact", formatRecordPlace(contact, "contacts")), nameChanges(changes)),
  placeIsTarget: true,
  describeTarget: async ({ contact }, context) => describeContact(await findContact(context, contact)),
  async run(input, context) {
    const properties = getProperties(input);
    if (Object.keys(properties).length === 0) {
      throw new Problem("INVALID_REQUEST", "A change to the contact is required.", {
        hint: "Specify the email address, phone, company, job, name or lifecycle stage.",
      });
    }
    const oldContact = await findContact(context, input.contact);
    const updatedRecord = await patchRecord(context.http, "contacts", oldContact.id, properties);
    const record = {
      ...oldContact,
      properties: { ...oldContact.properties, ...properties, ...updatedRecord.properties },
    };
    const contact = toContact(record, context);
    const text = `Changed the contact ${escapeCell(getContactName(oldContact))}: ${escapeCell(listChanges(input).join(", "))}.\n\n${contact.url}`;
    return { data: contact, text, url: contact.url };
  },
});

function getProperties(input: UpdateContactInput): Record<string, string> {
  const { email, phone, company, job_title: jobtitle, new_name, lifecycle_stage } = input;
  const lifecyclestage = lifecycle_stage
    ?.trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, "");
  return dropEmptyProperties({ ...splitFullName(new_name), email, phone, company, jobtitle, lifecyclestage });
}

function listChanges(input: UpdateContactInput): string[] {
  const fields: [string, string | undefined][] = [
    ["email", input.email],
    ["phone", input.phone],
    ["company", input.company],
    ["job", input.job_title],
    ["name", input.new_name],
    ["lifecycle stage", input.lifecycle_stage],
  ];
  return fields.flatMap(([name, value]) => (value?.trim() ? [`${name} ${value.trim()}`] : []));
}
