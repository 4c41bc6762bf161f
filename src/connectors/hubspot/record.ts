import * as z from "zod/mini";
import { type ListRequest, readPages } from "../http/pages.ts";
import { quoteName } from "../place.ts";
import type { ServiceHttp } from "../service-http.ts";
import type { ToolContext } from "../tool.ts";

/** A CRM record. Its properties are strings. Source: HubSpot CRM v3, "Objects". */
export const CrmRecord = z.looseObject({
  id: z.string(),
  properties: z.record(z.string(), z.nullish(z.string())),
  associations: z.nullish(
    z.record(
      z.string(),
      z.looseObject({ results: z.array(z.looseObject({ id: z.string() })), paging: z.nullish(z.looseObject({})) }),
    ),
  ),
});
export type CrmRecord = z.output<typeof CrmRecord>;

/** Kinds of records, with their type ID in URLs. */
export type RecordKind = "contacts" | "deals";
const TYPE_IDS: Record<RecordKind, string> = { contacts: "0-1", deals: "0-3" };

const SearchPage = z.looseObject({
  total: z.nullish(z.number()),
  results: z.array(CrmRecord),
  paging: z.nullish(z.looseObject({ next: z.nullish(z.looseObject({ after: z.string() })) })),
});

/** A condition on one property. */
export type PropertyFilter = { propertyName: string; operator: string; value?: string; values?: string[] };

/** A search: words in the default properties, and conditions that must all hold. */
export type RecordSearch = {
  text?: string;
  filters?: PropertyFilter[];
  properties: string[];
  sort: string;
  ascending?: boolean;
};

/** Largest page size of a search, and longest search text in characters. */
const MAX_PAGE_SIZE = 100;
const MAX_QUERY_LENGTH = 3_000;

/**
 * Searches records over as many pages as the limit needs. HubSpot's index lags by some seconds, so new records may be
 * missing. Source: POST /crm/v3/objects/{object}/search, https://developers.hubspot.com/docs/api-reference/search/guide
 */
export async function searchRecords(
  http: ServiceHttp,
  kind: RecordKind,
  search: RecordSearch,
  list: number | ListRequest,
): Promise<{ records: CrmRecord[]; total: number; more: boolean }> {
  let total = 0;
  const { items, more } = await readPages(async (after, size) => {
    const body = {
      ...(search.text?.trim() ? { query: search.text.trim().slice(0, MAX_QUERY_LENGTH) } : {}),
      filterGroups: search.filters?.length ? [{ filters: search.filters }] : [],
      sorts: [{ propertyName: search.sort, direction: search.ascending ? "ASCENDING" : "DESCENDING" }],
      properties: search.properties,
      limit: Math.min(MAX_PAGE_SIZE, size),
      ...(after === undefined ? {} : { after }),
    };
    const request = { method: "POST", path: `/crm/v3/objects/${kind}/search`, body, reads: true } as const;
    const page = await http.request({ ...request, answer: SearchPage, scope: getReadScope(kind) });
    total = page.total ?? total;
    return { items: page.results, next: page.paging?.next?.after };
  }, list);
  return { records: items, total: Math.max(total, items.length), more };
}

/** Fetches a record by ID or by a unique property. @throws Problem SERVICE_FAILED with `service_status` 404 */
export function getRecord(
  http: ServiceHttp,
  kind: RecordKind,
  id: string,
  query: { properties: string[]; idProperty?: string; associations?: string },
): Promise<CrmRecord> {
  const path = `/crm/v3/objects/${kind}/${encodeURIComponent(id)}`;
  return http.request({
    path,
    query: { ...query, properties: query.properties.join(",") },
    answer: CrmRecord,
    scope: getReadScope(kind),
  });
}

/** Changes properties of a record and keeps the others. */
export function patchRecord(
  http: ServiceHttp,
  kind: RecordKind,
  id: string,
  properties: Record<string, string>,
): Promise<CrmRecord> {
  return http.request({
    method: "PATCH",
    path: `/crm/v3/objects/${kind}/${encodeURIComponent(id)}`,
    body: { properties },
    answer: CrmRecord,
    scope: getWriteScope(kind),
  });
}

/**
 * Creates a record with associations, given by HubSpot's association types (3: deal to contact, 202: note to contact,
 * 214: note to deal).
 */
export function createRecord(
  http: ServiceHttp,
  kind: RecordKind | "notes",
  properties: Record<string, string>,
  targets: { id: string; type: number }[] = [],
): Promise<CrmRecord> {
  const associations = targets.map(({ id, type }) => ({
    to: { id },
    types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: type }],
  }));
  return http.request({
    method: "POST",
    path: `/crm/v3/objects/${kind}`,
    body: { properties, ...(associations.length > 0 ? { associations } : {}) },
    answer: CrmRecord,
    scope: getWriteScope(kind === "notes" ? "contacts" : kind),
  });
}

/** Returns the web page of a record. */
export function buildRecordUrl({ metadata }: Pick<ToolContext, "metadata">, kind: RecordKind, id: string): string {
  return `${String(metadata.url ?? "https://app.hubspot.com")}/record/${TYPE_IDS[kind]}/${encodeURIComponent(id)}`;
}

/** Returns the ID in a number or in a record's URL. */
export function findRecordId(text: string, kind: RecordKind): string | undefined {
  return new RegExp(`^#?(\\d+)$|/record/${TYPE_IDS[kind]}/(\\d+)`).exec(text.trim())?.slice(1).find(Boolean);
}

/** Returns the name of a record for the text of an approval: its ID if the input has one, else its name or address. */
export function formatRecordPlace(text: string, kind: RecordKind): string | undefined {
  return findRecordId(text, kind) ?? quoteName(text);
}

/** Hints for a name that no record or several records have. */
export const SEARCH_HINTS = {
  none: "Search for it first. HubSpot finds new records after some seconds.",
  several: "Specify it by its ID.",
};

/** Returns the properties that have a value. */
export function dropEmptyProperties(properties: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(properties).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : []));
  return Object.fromEntries(entries);
}

/** Names the fields that a call changes, so that an approval covers no other field. */
export function nameChanges(changes: Record<string, unknown>): string {
  return Object.keys(changes)
    .filter((name) => changes[name] !== undefined)
    .sort()
    .join(", ");
}

function getReadScope(kind: RecordKind): string {
  return `crm.objects.${kind}.read`;
}

function getWriteScope(kind: RecordKind): string {
  return `crm.objects.${kind}.write`;
}
