import * as z from "zod/mini";
import { escapeCell } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { describeDeal, findDeal, getDealName } from "./deal.ts";
import { findPipeline, findStage, listPipelines } from "./pipelines.ts";
import { buildRecordUrl, formatRecordPlace, patchRecord } from "./record.ts";

const Input = z.object({
  deal: withDescription(z.string(), "Name or id of the deal."),
  stage: withDescription(
    z.string(),
    'Stage of its pipeline, such as "Contract sent" or "Closed won"; "won" and "lost" close it.',
  ),
});
type Input = z.output<typeof Input>;

/**
 * Source: HubSpot CRM v3, PATCH /crm/v3/objects/deals/{id} with `dealstage`, the internal ID of a stage of the deal's
 * pipeline.
 */
export const moveDealTool = defineTool({
  name: "hubspot.move_deal",
  description: "Move a HubSpot deal to another stage of its pipeline, or close it as won or lost.",
  access: "write",
  input: Input,
  examples: [
    "move the deal {deal} to {stage}",
    "move {deal} to {stage}",
    "mark the deal {deal} as {stage}",
    "set the deal {deal} to {stage}",
    "set the stage of {deal} to {stage}",
    "close the deal {deal} as {stage}",
  ],
  summary: ({ deal, stage }: Input) => `Move the deal ${deal.trim()} to ${stage.trim()}`,
  resource: ({ deal }: Input) => formatPlace("for the deal", formatRecordPlace(deal, "deals")),
  placeIsTarget: true,
  describeTarget: async ({ deal }, context) => describeDeal(await findDeal(context, deal), context),
  async run(input, context) {
    const deal = await findDeal(context, input.deal);
    const pipeline = findPipeline(await listPipelines(context), deal.properties.pipeline ?? undefined);
    const stage = findStage(pipeline, input.stage);
    const before = pipeline.stages.find(({ id }) => id === deal.properties.dealstage)?.label ?? "another stage";
    const url = buildRecordUrl(context, "deals", deal.id);
    const name = getDealName(deal);
    if (deal.properties.dealstage === stage.id) {
      const data = { id: deal.id, name, stage: stage.label, changed: false, url };
      return { data, text: `${escapeCell(name)} is already in ${escapeCell(stage.label)}.`, url };
    }
    await patchRecord(context.http, "deals", deal.id, { dealstage: stage.id });
    const data = { id: deal.id, name, from: before, stage: stage.label, changed: true, url };
    return {
      data,
      text: `${escapeCell(name)} is now in ${escapeCell(stage.label)} (it was in ${escapeCell(before)}).\n\n${url}`,
      url,
    };
  },
});
