/**
 * The world of the HubSpot stand-in: a seed with everything filled in. One account; ids are digits, times are ISO 8601
 * in UTC.
 */
export type HubspotState = {
  portal: Portal;
  owners: Owner[];
  pipelines: Pipeline[];
  contacts: CrmRecord[];
  deals: CrmRecord[];
  notes: CrmRecord[];
  /** Deleted records, which remain readable on request. */
  archived?: Partial<Record<ObjectType, CrmRecord[]>>;
};

type Portal = { portalId: number; hub_domain: string; companyCurrency: string; timeZone: string };

/** A user of the account, who can consent and own records. */
export type Owner = { id: string; userId: number; email: string; firstName: string; lastName: string };

export type Pipeline = { id: string; label: string; stages: Stage[] };
type Stage = { id: string; label: string; probability: string; isClosed: boolean };

/** A record with its properties. Deals and notes store their associations by ID. */
export type CrmRecord = {
  id: string;
  properties: Record<string, string>;
  createdAt: string;
  updatedAt: string;
  archivedAt?: string;
  contacts: string[];
  deals: string[];
};

export type ObjectType = "contacts" | "deals" | "notes";
