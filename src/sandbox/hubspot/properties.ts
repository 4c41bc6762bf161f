import type { ObjectType } from "./state.ts";

/** A type of record. Source: the object pages of HubSpot's CRM v3 reference. */
export type TypeTraits = {
  /** Properties that can be written. */
  writable: string[];
  /** Default properties of a response. */
  defaults: string[];
  /** Properties that a search covers. */
  searched: string[];
  created: string;
  updated: string;
  /** Type ID in URLs. */
  typeId: string;
};

export const OBJECT_TYPES: Record<ObjectType, TypeTraits> = {
  contacts: {
    writable: [
      "email",
      "firstname",
      "lastname",
      "phone",
      "mobilephone",
      "company",
      "jobtitle",
      "website",
      "address",
      "city",
      "country",
      "zip",
      "lifecyclestage",
      "hs_lead_status",
      "hubspot_owner_id",
    ],
    defaults: ["createdate", "email", "firstname", "hs_object_id", "lastmodifieddate", "lastname"],
    searched: ["firstname", "lastname", "email", "phone", "company", "hs_object_id"],
    created: "createdate",
    updated: "lastmodifieddate",
    typeId: "0-1",
  },
  deals: {
    writable: [
      "dealname",
      "amount",
      "dealstage",
      "pipeline",
      "closedate",
      "dealtype",
      "description",
      "hs_priority",
      "hubspot_owner_id",
    ],
    defaults: [
      "amount",
      "closedate",
      "createdate",
      "dealname",
      "dealstage",
      "hs_lastmodifieddate",
      "hs_object_id",
      "pipeline",
    ],
    searched: ["dealname", "description", "dealtype"],
    created: "createdate",
    updated: "hs_lastmodifieddate",
    typeId: "0-3",
  },
  notes: {
    writable: ["hs_timestamp", "hs_note_body", "hubspot_owner_id", "hs_attachment_ids"],
    defaults: ["hs_createdate", "hs_lastmodifieddate", "hs_object_id"],
    searched: ["hs_note_body"],
    created: "hs_createdate",
    updated: "hs_lastmodifieddate",
    typeId: "0-46",
  },
};

export const LIFECYCLE_STAGES = [
  "subscriber",
  "lead",
  "marketingqualifiedlead",
  "salesqualifiedlead",
  "opportunity",
  "customer",
  "evangelist",
  "other",
];

/** Finds the type by name: `contacts`, `contact` or `0-1`. */
export function findObjectType(name: string): ObjectType | undefined {
  const types = Object.keys(OBJECT_TYPES) as ObjectType[];
  return types.find((type) => name === type || `${name}s` === type || OBJECT_TYPES[type].typeId === name);
}
