import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { formatMarkdownTable } from "../markup/markdown.ts";
import { requireMatch } from "../match.ts";
import { quoteTitle } from "../place.ts";
import type { ToolContext } from "../tool.ts";
import type { Pipeline } from "./pipelines.ts";
import { buildRecordUrl, type CrmRecord, findRecordId, getRecord, SEARCH_HINTS, searchRecords } from "./record.ts";

/** Properties of a deal that kay reads. */
export const DEAL_PROPERTIES = [
  "dealname",
  "amount",
  "deal_currency_code",
  "dealstage",
  "pipeline",
  "closedate",
  "hubspot_owner_id",
  "hs_lastmodifieddate",
];

/** A deal as lists show it. `stage` and `pipeline` are display names. */
export type Deal = {
  id: string;
  name: string;
  amount: number | null;
  currency: string | null;
  stage: string;
  pipeline: string;
  closes: string | null;
  updated: string | null;
  url: string;
};

/** Converts deals to data for the model. */
export function toDeals(records: CrmRecord[], pipelines: Pipeline[], context: Pick<ToolContext, "metadata">): Deal[] {
  const { currency } = context.metadata;
  return records.map((record) => {
    const {
      amount,
      deal_currency_code: dealCurrency,
      dealstage,
      pipeline: id,
      closedate,
      hs_lastmodifieddate,
    } = record.properties;
    const pipeline = pipelines.find((candidate) => candidate.id === id);
    const stage = pipeline?.stages.find((stage) => stage.id === dealstage);
    return {
      id: record.id,
      name: getDealName(record),
      amount: amount ? Number(amount) : null,
      currency: dealCurrency || (typeof currency === "string" ? currency : null),
      stage: stage?.label || (dealstage ?? ""),
      pipeline: pipeline?.label || (id ?? ""),
      closes: toDay(closedate),
      updated: hs_lastmodifieddate ?? null,
      url: buildRecordUrl(context, "deals", record.id),
    };
  });
}

/** Returns the day of a time, which HubSpot sends as ISO 8601 or in ms since the epoch. */
function toDay(time: string | null | undefined): string | null {
  const ms = /^\d{12,14}$/.test(time ?? "") ? Number(time) : undefined;
  return (ms === undefined ? time : new Date(ms).toISOString())?.slice(0, 10) || null;
}

export function formatDealTable(deals: Deal[]): string {
  const rows = deals.map((deal) => [
    deal.id,
    deal.name,
    formatMoney(deal.amount, deal.currency),
    deal.stage,
    deal.pipeline,
    deal.closes ?? "–",
  ]);
  return formatMarkdownTable(["ID", "Deal", "Amount", "Stage", "Pipeline", "Closes"], rows);
}

/** A day to close a deal. */
export const CloseDate = z.string().check(z.regex(/^\d{4}-\d\d-\d\d/, "a date such as 2026-12-31"));

/**
 * Returns noon in UTC, which is the same date in almost every time zone. HubSpot shows the time in the account's zone.
 */
export function toCloseDate(date: string | undefined): string | undefined {
  return date && /^\d{4}-\d\d-\d\d$/.test(date.trim()) ? `${date.trim()}T12:00:00Z` : date;
}

/** Formats an amount as "5,000 EUR", or "–" if there is none. */
export function formatMoney(amount: number | null, currency: unknown): string {
  if (amount === null || Number.isNaN(amount)) return "–";
  return `${amount.toLocaleString("en-US")}${typeof currency === "string" ? ` ${currency}` : ""}`;
}

/** Finds a deal by ID, URL or name. @throws Problem INVALID_REQUEST when none or several match */
export async function findDeal({ http }: ToolContext, text: string): Promise<CrmRecord> {
  const name = text.trim();
  if (name === "") throw new Problem("INVALID_REQUEST", "Specify the deal.", { details: { field: "deal" } });
  const id = findRecordId(name, "deals");
  if (id) return getRecord(http, "deals", id, { properties: DEAL_PROPERTIES });
  const search = { text: name, properties: DEAL_PROPERTIES, sort: "hs_lastmodifieddate" };
  const { records } = await searchRecords(http, "deals", search, 20);
  return requireMatch(records, name, {
    purpose: "change",
    noun: "deal",
    where: " in HubSpot",
    field: "deal",
    getName: getDealName,
    format: (deal) => `${getDealName(deal)} (${deal.id})`,
    hints: SEARCH_HINTS,
  });
}

export function getDealName({ id, properties }: CrmRecord): string {
  return properties.dealname || `deal ${id}`;
}

/** Describes a deal for the approval of a call that names it. */
export function describeDeal(record: CrmRecord, { metadata }: Pick<ToolContext, "metadata">): string {
  const { amount, deal_currency_code: dealCurrency } = record.properties;
  return `${quoteTitle(getDealName(record))}${amount ? `, ${formatMoney(Number(amount), dealCurrency || metadata.currency)}` : ""} (deal ${record.id})`;
}
