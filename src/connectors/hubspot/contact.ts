import { Problem } from "#protocol/errors";
import { formatMarkdownTable } from "../markup/markdown.ts";
import { requireMatch } from "../match.ts";
import type { ToolContext } from "../tool.ts";
import { buildRecordUrl, type CrmRecord, findRecordId, getRecord, SEARCH_HINTS, searchRecords } from "./record.ts";

/** Properties of a contact that kay reads. */
export const CONTACT_PROPERTIES = [
  "firstname",
  "lastname",
  "email",
  "phone",
  "company",
  "jobtitle",
  "lifecyclestage",
  "lastmodifieddate",
];

/** A contact as lists show it. */
export type Contact = {
  id: string;
  name: string;
  email: string | null;
  phone: string | null;
  company: string | null;
  job_title: string | null;
  lifecycle_stage: string | null;
  updated: string | null;
  url: string;
};

/** Converts a contact to data for the model. */
export function toContact(record: CrmRecord, context: Pick<ToolContext, "metadata">): Contact {
  const value = (name: string) => record.properties[name] || null;
  return {
    id: record.id,
    name: getContactName(record),
    email: value("email"),
    phone: value("phone"),
    company: value("company"),
    job_title: value("jobtitle"),
    lifecycle_stage: value("lifecyclestage"),
    updated: value("lastmodifieddate"),
    url: buildRecordUrl(context, "contacts", record.id),
  };
}

export function formatContactTable(contacts: Contact[]): string {
  const rows = contacts.map(({ id, name, email, phone, company, job_title }) => [
    id,
    name,
    email ?? "",
    phone ?? "",
    company ?? "",
    job_title ?? "",
  ]);
  return formatMarkdownTable(["ID", "Name", "E-mail", "Phone", "Company", "Job"], rows);
}

/**
 * Finds a contact by ID, URL, email address or name.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findContact(context: ToolContext, text: string, associations?: string): Promise<CrmRecord> {
  const { http } = context;
  const name = text.trim();
  if (name === "") throw new Problem("INVALID_REQUEST", "Specify the contact.", { details: { field: "contact" } });
  const readContact = (id: string, idProperty?: string) =>
    getRecord(http, "contacts", id, { properties: CONTACT_PROPERTIES, idProperty, associations });
  const id = findRecordId(name, "contacts");
  if (id) return readContact(id);
  if (/^[^\s@]+@\S+$/.test(name))
    return readContact(name, "email").catch((error: unknown) => throwNoSuchContact(error, name));
  const search = { text: name, properties: CONTACT_PROPERTIES, sort: "lastmodifieddate" };
  const { records } = await searchRecords(http, "contacts", search, 20);
  const contact = requireMatch(records, name, {
    purpose: associations === undefined ? "change" : "read",
    noun: "contact",
    where: " in HubSpot",
    field: "contact",
    getName: getContactName,
    format: (contact) =>
      `${getContactName(contact)} (${[contact.properties.email, contact.id].filter(Boolean).join(", ")})`,
    hints: SEARCH_HINTS,
  });
  return associations ? readContact(contact.id) : contact;
}

export function getContactName({ id, properties }: CrmRecord): string {
  const { firstname, lastname, email } = properties;
  return [firstname, lastname].filter(Boolean).join(" ") || email || `contact ${id}`;
}

/** Describes a contact for the approval of a call that names it. */
export function describeContact(record: CrmRecord): string {
  const { email, company } = record.properties;
  return `${[getContactName(record), email, company].filter(Boolean).join(", ")} (contact ${record.id})`;
}

/** Splits a full name into first and last name. A single word is the first name. */
export function splitFullName(name: string | undefined): { firstname?: string; lastname?: string } {
  const words = name?.trim().split(/\s+/) ?? [];
  return { firstname: words[0] || undefined, lastname: words.slice(1).join(" ") || undefined };
}

function throwNoSuchContact(error: unknown, email: string): never {
  if (!(error instanceof Problem) || error.details.service_status !== 404) throw error;
  throw new Problem("INVALID_REQUEST", `No contact in HubSpot has the address ${email}.`, {
    hint: "Check the address, or search by name.",
  });
}
