import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describe } from "../fields.ts";
import { cell } from "../markdown.ts";
import { placed } from "../resource.ts";
import { defineTool } from "../service.ts";
import { contactName, contactOf, findContact, namesOf } from "./contact.ts";
import { given, namedRecord, patchRecord } from "./record.ts";

const Input = z.object({
  contact: describe(z.string(), "Name, e-mail address or id of the contact that is changed."),
  email: describe(z.optional(z.string()), "New address, such as ann@example.com."),
  phone: describe(z.optional(z.string()), "New phone number."),
  company: describe(z.optional(z.string()), "New company."),
  job_title: describe(z.optional(z.string()), "New job."),
  new_name: describe(z.optional(z.string()), "New full name."),
  lifecycle_stage: describe(
    z.optional(z.string()),
    '"subscriber", "lead", "opportunity", "customer", "evangelist", or another stage of the account by its internal name.',
  ),
});
type Input = z.output<typeof Input>;

/** Source: HubSpot CRM v3, PATCH /crm/v3/objects/contacts/{id}; properties that are not named stay. */
export const updateContact = defineTool({
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
  summary: (input: Input) => `Change the contact ${input.contact.trim()}: ${changes(input).join(", ") || "nothing"}`,
  resource: ({ contact }: Input) => placed("for the contact", namedRecord(contact, "contacts")),
  async run(input, context) {
    const properties = propertiesOf(input);
    if (Object.keys(properties).length === 0) {
      throw new Problem("INVALID_REQUEST", "Nothing is said about what to change on the contact.", {
        hint: "Name the e-mail, phone, company, job, name or lifecycle stage.",
      });
    }
    const before = await findContact(context, input.contact);
    const after = await patchRecord(context.http, "contacts", before.id, properties);
    const record = { ...before, properties: { ...before.properties, ...properties, ...after.properties } };
    const contact = contactOf(record, context);
    const text = `Changed the contact ${cell(contactName(before))}: ${cell(changes(input).join(", "))}.\n\n${contact.url}`;
    return { data: contact, text, url: contact.url };
  },
});

function propertiesOf(input: Input): Record<string, string> {
  const { email, phone, company, job_title: jobtitle, new_name, lifecycle_stage } = input;
  const lifecyclestage = lifecycle_stage
    ?.trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, "");
  return given({ ...namesOf(new_name), email, phone, company, jobtitle, lifecyclestage });
}

function changes(input: Input): string[] {
  const fields: [string, string | undefined][] = [
    ["e-mail", input.email],
    ["phone", input.phone],
    ["company", input.company],
    ["job", input.job_title],
    ["name", input.new_name],
    ["lifecycle stage", input.lifecycle_stage],
  ];
  return fields.flatMap(([name, value]) => (value?.trim() ? [`${name} ${value.trim()}`] : []));
}
