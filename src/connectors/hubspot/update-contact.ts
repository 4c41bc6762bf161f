import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import { formatPlace, narrowPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { describeContact, findContact, getContactName, splitFullName, toContact } from "./contact.ts";
import { formatRecordPlace, nameChanges, patchRecord, pickGiven } from "./record.ts";

const Input = z.object({
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
type Input = z.output<typeof Input>;

/** Source: HubSpot CRM v3, PATCH /crm/v3/objects/contacts/{id}; other properties stay. */
export const updateContactTool = defineTool({
  name: "hubspot.update_contact",
  description: "Change the address, phone, company, job, name or lifecycle stage of a HubSpot contact.",
  access: "write",
  input: Input,
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
  summary: (input: Input) =>
    `Change the contact ${input.contact.trim()}: ${listChanges(input).join(", ") || "nothing"}`,
  resource: ({ contact, ...changes }: Input) =>
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
    const before = await findContact(context, input.contact);
    const after = await patchRecord(context.http, "contacts", before.id, properties);
    const record = { ...before, properties: { ...before.properties, ...properties, ...after.properties } };
    const contact = toContact(record, context);
    const text = `Changed the contact ${escapeCell(getContactName(before))}: ${escapeCell(listChanges(input).join(", "))}.\n\n${contact.url}`;
    return { data: contact, text, url: contact.url };
  },
});

function getProperties(input: Input): Record<string, string> {
  const { email, phone, company, job_title: jobtitle, new_name, lifecycle_stage } = input;
  const lifecyclestage = lifecycle_stage
    ?.trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, "");
  return pickGiven({ ...splitFullName(new_name), email, phone, company, jobtitle, lifecyclestage });
}

function listChanges(input: Input): string[] {
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
