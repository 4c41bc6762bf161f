import * as z from "zod/mini";
import { isMe, parseDay } from "../input-text.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatNoun } from "../markup/markdown.ts";
import { type ToolContext, withDescription } from "../tool.ts";
import { DEAL_PROPERTIES, formatDealTable, formatMoney, toDeals } from "./deal.ts";
import { findOwnerByName } from "./owners.ts";
import { findPipeline, findStages, listPipelines, type Pipeline } from "./pipelines.ts";
import { type PropertyFilter, searchRecords } from "./record.ts";

const Input = z.object({
  stage: withDescription(
    z.optional(z.string()),
    '"all" (default), "open", "won", "lost", "closed", or the name of a stage such as "Contract sent" or "Closed won".',
  ),
  pipeline: withDescription(z.optional(z.string()), "Name of the pipeline. Default: all pipelines."),
  owner: withDescription(z.optional(z.string()), '"me", or the name or email address of the owner of the deals.'),
  text: withDescription(z.optional(z.string()), "Words in the name of the deal."),
  minAmount: withDescription(z.optional(z.number()), "Only deals of at least this amount."),
  maxAmount: withDescription(z.optional(z.number()), "Only deals of at most this amount."),
  closesAfter: withDescription(z.optional(z.string()), "Closing on or after this day, such as 2026-01-31."),
  closesBefore: withDescription(z.optional(z.string()), "Closing on or before this day, such as 2026-01-31."),
  createdSince: withDescription(z.optional(z.string()), "Created on or after this day, such as 2026-01-31."),
  order: withDescription(
    z.optional(z.enum(["changed", "created", "amount", "closes"])),
    "changed (default) and created list the newest first, amount the largest, closes the next to close.",
  ),
});
type Input = z.output<typeof Input>;

/** Source: HubSpot CRM v3, POST /crm/v3/objects/deals/search with the stages of GET /crm/v3/pipelines/deals. */
export const listDealsTool = defineListTool({
  name: "hubspot.list_deals",
  description: "List deals in HubSpot by stage, pipeline, owner, amount, date or name.",
  input: Input,
  limit: { usual: 20, most: 100 },
  examples: [
    "list deals",
    "show my deals",
    "which deals are open",
    "show the open deals",
    "list the {stage} deals",
    "which deals are in {stage}",
    "which deals did we {stage}",
    "list the deals in the {pipeline} pipeline",
    "which deals does {owner} own",
    "find deals about {text}",
    "find the deal {text}",
  ],
  summary: (input) => `List ${describeList(input)}`,
  async run(input, context, list) {
    const pipelines = await listPipelines(context);
    const search = {
      text: input.text,
      filters: await buildFilters(input, pipelines, context),
      properties: DEAL_PROPERTIES,
      sort: SORTS[input.order ?? "changed"],
      ascending: input.order === "closes",
    };
    const { records, total, more } = await searchRecords(context.http, "deals", search, list);
    const deals = toDeals(records, pipelines, context);
    const url =
      typeof context.metadata.url === "string" ? `${context.metadata.url}/objects/0-3/views/all/list` : undefined;
    const sum = deals.reduce((all, { amount }) => all + (amount ?? 0), 0);
    const isComplete = total <= deals.length && sum > 0 && new Set(deals.map(({ currency }) => currency)).size === 1;
    const text = formatList(list, {
      count: deals.length,
      words: escapeCell(describeList(input, total)),
      ...{ more, total },
      note: isComplete ? `, together ${formatMoney(sum, deals[0]?.currency)}` : "",
      items: () => formatDealTable(deals),
    });
    return { data: { deals, total }, text, url };
  },
});

async function buildFilters(input: Input, pipelines: Pipeline[], context: ToolContext): Promise<PropertyFilter[]> {
  const namedPipelines = input.pipeline?.trim() ? [findPipeline(pipelines, input.pipeline)] : undefined;
  const stages = findStages(namedPipelines ?? pipelines, input.stage);
  const owner = input.owner?.trim() ? await findOwnerByName(context, input.owner) : undefined;
  return [
    ...(namedPipelines ?? []).map(({ id }) => ({ propertyName: "pipeline", operator: "EQ", value: id })),
    ...(stages ? [{ propertyName: "dealstage", operator: "IN", values: stages.map(({ id }) => id) }] : []),
    ...(owner ? [{ propertyName: "hubspot_owner_id", operator: "EQ", value: owner.id }] : []),
    ...buildRange("amount", input.minAmount, input.maxAmount),
    ...buildRange(
      "closedate",
      toMoment(input.closesAfter, "closesAfter"),
      toMoment(input.closesBefore, "closesBefore"),
    ),
    ...buildRange("createdate", toMoment(input.createdSince, "createdSince"), undefined),
  ];
}

const SORTS = { changed: "hs_lastmodifieddate", created: "createdate", amount: "amount", closes: "closedate" };

function buildRange(propertyName: string, minimum: number | undefined, maximum: number | undefined): PropertyFilter[] {
  return [
    ...(minimum === undefined ? [] : [{ propertyName, operator: "GTE", value: String(minimum) }]),
    ...(maximum === undefined ? [] : [{ propertyName, operator: "LTE", value: String(maximum) }]),
  ];
}

/**
 * Converts a day to ms since the epoch, for HubSpot's filters. A last day counts to its end. @throws Problem
 * INVALID_REQUEST
 */
function toMoment(text: string | undefined, field: string): number | undefined {
  const day = parseDay(text, field);
  if (day === undefined) return undefined;
  const start = Date.parse(day);
  return field === "closesBefore" ? start + 86_400_000 - 1 : start;
}

function describeList({ stage, pipeline, owner, text, ...filter }: Input, number = 2): string {
  const word = stage?.trim() || "all";
  const isStatus = /^(open|won|lost|closed)$/i.test(word);
  const isAll = /^(all|any|every)$/i.test(word);
  const ownerText = owner?.trim() ? (isMe(owner) ? " of yours" : ` of ${owner.trim()}`) : "";
  const noun = `${isStatus ? `${word.toLowerCase()} ` : ""}${formatNoun(number, "deal")}${ownerText}`;
  const about = text?.trim() ? ` about “${text.trim()}”` : "";
  const range = [
    filter.minAmount === undefined ? "" : ` from ${formatMoney(filter.minAmount, undefined)}`,
    filter.maxAmount === undefined ? "" : ` up to ${formatMoney(filter.maxAmount, undefined)}`,
    filter.closesAfter?.trim() ? ` closing after ${filter.closesAfter.trim()}` : "",
    filter.closesBefore?.trim() ? ` closing by ${filter.closesBefore.trim()}` : "",
    filter.createdSince?.trim() ? ` created since ${filter.createdSince.trim()}` : "",
  ];
  return `${noun}${range.join("")}${about}${isStatus || isAll ? "" : ` in ${word}`}${pipeline?.trim() ? ` in ${pipeline.trim()}` : ""}`;
}
