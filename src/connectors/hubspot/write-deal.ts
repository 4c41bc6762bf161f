import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { requireTitle } from "../input-text.ts";
import { escapeCell, toOneLine } from "../markup/markdown.ts";
import { formatPlace, narrowPlace, quoteName } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { describeContact, findContact, getContactName } from "./contact.ts";
import { CloseDate, describeDeal, findDeal, formatMoney, getDealName, toCloseDate } from "./deal.ts";
import { findOwnerByName } from "./owners.ts";
import { findPipeline, findStage, listPipelines, type Pipeline, type Stage } from "./pipelines.ts";
import {
  buildRecordUrl,
  type CrmRecord,
  createRecord,
  dropEmptyProperties,
  formatRecordPlace,
  nameChanges,
  patchRecord,
} from "./record.ts";

const CreateDealInput = z.object({
  name: withDescription(z.string(), "Title of the deal, in one line."),
  amount: withDescription(z.optional(z.number().check(z.minimum(0))), "Value of the deal, in the account's currency."),
  stage: withDescription(
    z.optional(z.string()),
    'First stage, such as "Appointment scheduled". Default: the first stage of the pipeline.',
  ),
  pipeline: withDescription(z.optional(z.string()), "Name of the pipeline. Default: the account's default pipeline."),
  close_date: withDescription(z.optional(CloseDate), "Expected close date, such as 2026-12-31."),
  contact: withDescription(z.optional(z.string()), "Name, email address or id of the associated contact."),
});
type CreateDealInput = z.output<typeof CreateDealInput>;

/** HubSpot's association type from a deal to a contact. */
const DEAL_TO_CONTACT = 3;

/** Source: HubSpot CRM v3, POST /crm/v3/objects/deals; stages and pipelines are given by their internal IDs. */
export const createDealTool = defineTool({
  name: "hubspot.create_deal",
  description: "Create a deal in a HubSpot pipeline, with its amount and contact.",
  access: "write",
  input: CreateDealInput,
  examples: [
    "create a deal: {name}",
    "create a deal called {name}",
    "create a deal {name} over {amount}",
    "create a deal worth {amount}: {name}",
    "create a deal with {contact}: {name}",
    "add a deal for {contact} called {name}",
    "new deal in the {pipeline} pipeline: {name}",
    "create a deal in {stage}: {name}",
  ],
  summary: describeCall,
  resource: ({ pipeline }) =>
    pipeline?.trim() ? formatPlace("in the pipeline", quoteName(pipeline)) : "in the default pipeline",
  describeTarget: async ({ contact }, context) =>
    contact?.trim() ? `with ${describeContact(await findContact(context, contact))}` : "",
  async run(input, context) {
    const dealname = requireTitle(input.name, "A deal", { noun: "name", field: "name" });
    const pipeline = findPipeline(await listPipelines(context), input.pipeline);
    const stage = getFirstStage(pipeline, input.stage);
    const contact = input.contact?.trim() ? await findContact(context, input.contact) : undefined;
    const properties = dropEmptyProperties({
      dealname,
      pipeline: pipeline.id,
      dealstage: stage.id,
      amount: input.amount === undefined ? undefined : String(input.amount),
      closedate: toCloseDate(input.close_date),
    });
    const targets = contact ? [{ id: contact.id, type: DEAL_TO_CONTACT }] : [];
    const { id } = await createRecord(context.http, "deals", properties, targets);
    const url = buildRecordUrl(context, "deals", id);
    const withWhom = contact ? ` with ${getContactName(contact)}` : "";
    const data = { id, name: dealname, stage: stage.label, pipeline: pipeline.label, url };
    return {
      data,
      text: `Created the deal ${escapeCell(`${dealname}${withWhom} in ${stage.label}`)}.\n\n${url}`,
      url,
    };
  },
});

function getFirstStage(pipeline: Pipeline, name: string | undefined): Stage {
  if (name?.trim()) return findStage(pipeline, name);
  const [first] = pipeline.stages;
  if (first) return first;
  throw new Problem("INVALID_REQUEST", `The pipeline ${pipeline.label} has no stages.`, {
    hint: "Specify another pipeline.",
  });
}

function describeCall(input: CreateDealInput): string {
  const details = [
    input.amount !== undefined && `amount ${formatMoney(input.amount, undefined)}`,
    input.stage?.trim() && `stage ${input.stage.trim()}`,
    input.pipeline?.trim() && `pipeline ${input.pipeline.trim()}`,
    input.close_date?.trim() && `closes ${input.close_date.trim()}`,
    input.contact?.trim() && `with ${input.contact.trim()}`,
  ].filter(Boolean);
  const action = `Create the deal “${toOneLine(input.name)}”`;
  return details.length > 0 ? `${action} (${details.join(", ")})` : action;
}

const UpdateDealInput = z.object({
  deal: withDescription(z.string(), "Name or id of the deal."),
  amount: withDescription(z.optional(z.number().check(z.minimum(0))), "New value, in the account's currency."),
  close_date: withDescription(z.optional(CloseDate), "New close date, such as 2026-12-31."),
  new_name: withDescription(z.optional(z.string()), "New name."),
  owner: withDescription(z.optional(z.string()), '"me", or the name or email address of the new owner.'),
  stage: withDescription(z.optional(z.string()), "New stage of its pipeline."),
});
type UpdateDealInput = z.output<typeof UpdateDealInput>;

/** Source: HubSpot CRM v3, PATCH /crm/v3/objects/deals/{id}; other properties stay. */
export const updateDealTool = defineTool({
  name: "hubspot.update_deal",
  description: "Change the amount, close date, name, owner or stage of a HubSpot deal.",
  access: "write",
  input: UpdateDealInput,
  examples: [
    "set the amount of the deal {deal} to {amount}",
    "change the amount of the deal {deal} to {amount}",
    "set the close date of the deal {deal} to {close_date}",
    "set the owner of the deal {deal} to {owner}",
    "rename the deal {deal} to {new_name}",
  ],
  summary: (input) => `Change the deal ${input.deal.trim()}: ${listChanges(input).join(", ") || "nothing"}`,
  resource: ({ deal, ...changes }) =>
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
  { amount, close_date, new_name, owner, stage }: UpdateDealInput,
  { properties }: CrmRecord,
  context: ToolContext,
): Promise<Record<string, string>> {
  const getStage = async (name: string) =>
    findStage(findPipeline(await listPipelines(context), properties.pipeline ?? undefined), name);
  return dropEmptyProperties({
    amount: amount === undefined ? undefined : String(amount),
    closedate: toCloseDate(close_date),
    dealname: new_name?.replace(/\s+/g, " "),
    hubspot_owner_id: owner?.trim() ? (await findOwnerByName(context, owner, "change")).id : undefined,
    dealstage: stage?.trim() ? (await getStage(stage)).id : undefined,
  });
}

function listChanges(input: UpdateDealInput): string[] {
  const fields: [string, string | undefined][] = [
    ["amount", input.amount === undefined ? undefined : formatMoney(input.amount, undefined)],
    ["close date", input.close_date],
    ["name", input.new_name?.replace(/\s+/g, " ")],
    ["owner", input.owner],
    ["stage", input.stage],
  ];
  return fields.flatMap(([name, value]) => (value?.trim() ? [`${name} ${value.trim()}`] : []));
}

const MoveDealInput = z.object({
  deal: withDescription(z.string(), "Name or id of the deal."),
  stage: withDescription(
    z.string(),
    'Stage of its pipeline, such as "Contract sent" or "Closed won"; "won" and "lost" close it.',
  ),
});

/**
 * Source: HubSpot CRM v3, PATCH /crm/v3/objects/deals/{id} with `dealstage`, the internal ID of a stage of the deal's
 * pipeline.
 */
export const moveDealTool = defineTool({
  name: "hubspot.move_deal",
  description: "Move a HubSpot deal to another stage of its pipeline, or close it as won or lost.",
  access: "write",
  input: MoveDealInput,
  examples: [
    "move the deal {deal} to {stage}",
    "move {deal} to {stage}",
    "mark the deal {deal} as {stage}",
    "set the deal {deal} to {stage}",
    "set the stage of {deal} to {stage}",
    "close the deal {deal} as {stage}",
  ],
  summary: ({ deal, stage }) => `Move the deal ${deal.trim()} to ${stage.trim()}`,
  resource: ({ deal }) => formatPlace("for the deal", formatRecordPlace(deal, "deals")),
  placeIsTarget: true,
  describeTarget: async ({ deal }, context) => describeDeal(await findDeal(context, deal), context),
  async run(input, context) {
    const deal = await findDeal(context, input.deal);
    const pipeline = findPipeline(await listPipelines(context), deal.properties.pipeline ?? undefined);
    const stage = findStage(pipeline, input.stage);
    const oldStage = pipeline.stages.find(({ id }) => id === deal.properties.dealstage)?.label ?? "another stage";
    const url = buildRecordUrl(context, "deals", deal.id);
    const name = getDealName(deal);
    if (deal.properties.dealstage === stage.id) {
      const data = { id: deal.id, name, stage: stage.label, changed: false, url };
      return { data, text: `${escapeCell(name)} is already in ${escapeCell(stage.label)}.`, url };
    }
    await patchRecord(context.http, "deals", deal.id, { dealstage: stage.id });
    const data = { id: deal.id, name, from: oldStage, stage: stage.label, changed: true, url };
    return {
      data,
      text: `${escapeCell(name)} is now in ${escapeCell(stage.label)} (it was in ${escapeCell(oldStage)}).\n\n${url}`,
      url,
    };
  },
});
