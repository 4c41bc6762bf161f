import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import { formatPlace, narrowPlace } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { CloseDate, describeDeal, findDeal, formatMoney, getDealName, toCloseDate } from "./deal.ts";
import { findOwnerByName } from "./owners.ts";
import { findPipeline, findStage, listPipelines } from "./pipelines.ts";
import { buildRecordUrl, type CrmRecord, formatRecordPlace, nameChanges, patchRecord, pickGiven } from "./record.ts";

const Input = z.object({
  deal: withDescription(z.string(), "Name or id of the deal."),
  amount: withDescription(z.optional(z.number().check(z.minimum(0))), "New value, in the account's currency."),
  close_date: withDescription(z.optional(CloseDate), "New close date, such as 2026-12-31."),
  new_name: withDescription(z.optional(z.string()), "New name."),
  owner: withDescription(z.optional(z.string()), '"me", or the name or email address of the new owner.'),
  stage: withDescription(z.optional(z.string()), "New stage of its pipeline."),
});
type Input = z.output<typeof Input>;

/** Source: HubSpot CRM v3, PATCH /crm/v3/objects/deals/{id}; other properties stay. */
export const updateDealTool = defineTool({
  name: "hubspot.update_deal",
  description: "Change the amount, close date, name, owner or stage of a HubSpot deal.",
  access: "write",
  input: Input,
  examples: [
    "set the amount of the deal {deal} to {amount}",
    "change the amount of the deal {deal} to {amount}",
    "set the close date of the deal {deal} to {close_date}",
    "set the owner of the deal {deal} to {owner}",
    "rename the deal {deal} to {new_name}",
  ],
  summary: (input: Input) => `Change the deal ${input.deal.trim()}: ${listChanges(input).join(", ") || "nothing"}`,
  resource: ({ deal, ...changes }: Input) =>
    narrowPlace(formatPlace("for the deal", formatRecordPlace(deal, "deals")), nameChanges(changes)),
  placeIsTarget: true,
  describeTarget: async ({ deal }, context) => describeDeal(await findDeal(context, deal), context),
  async run(input, context) {
    const changes = listChanges(input);
    if (changes.length === 0) {
      throw new Problem("INVALID_REQUEST", "A change to the deal is required.", {
        hint: "Specify the amount, close date, name, owner or stage.",
      });
    }
    const deal = await findDeal(context, input.deal);
    await patchRecord(context.http, "deals", deal.id, await findProperties(input, deal, context));
    const url = buildRecordUrl(context, "deals", deal.id);
    const { deal: _deal, ...fields } = input;
    const text = `Changed the deal ${escapeCell(getDealName(deal))}: ${escapeCell(changes.join(", "))}.\n\n${url}`;
    return { data: { id: deal.id, name: getDealName(deal), changed: fields, url }, text, url };
  },
});

async function findProperties(
  { amount, close_date, new_name, owner, stage }: Input,
  { properties }: CrmRecord,
  context: ToolContext,
): Promise<Record<string, string>> {
  const getStage = async (name: string) =>
    findStage(findPipeline(await listPipelines(context), properties.pipeline ?? undefined), name);
  return pickGiven({
    amount: amount === undefined ? undefined : String(amount),
    closedate: toCloseDate(close_date),
    dealname: new_name?.replace(/\s+/g, " "),
    hubspot_owner_id: owner?.trim() ? (await findOwnerByName(context, owner, "change")).id : undefined,
    dealstage: stage?.trim() ? (await getStage(stage)).id : undefined,
  });
}

function listChanges(input: Input): string[] {
  const fields: [string, string | undefined][] = [
    ["amount", input.amount === undefined ? undefined : formatMoney(input.amount, undefined)],
    ["close date", input.close_date],
    ["name", input.new_name?.replace(/\s+/g, " ")],
    ["owner", input.owner],
    ["stage", input.stage],
  ];
  return fields.flatMap(([name, value]) => (value?.trim() ? [`${name} ${value.trim()}`] : []));
}
