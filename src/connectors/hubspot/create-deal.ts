import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import { formatPlace, quoteName } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { describeContact, findContact, getContactName } from "./contact.ts";
import { CloseDate, formatMoney, toCloseDate } from "./deal.ts";
import { findPipeline, findStage, listPipelines, type Pipeline, type Stage } from "./pipelines.ts";
import { buildRecordUrl, createRecord, pickGiven } from "./record.ts";

const Input = z.object({
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
type Input = z.output<typeof Input>;

/** HubSpot's association type from a deal to a contact. */
const DEAL_TO_CONTACT = 3;

/** Source: HubSpot CRM v3, POST /crm/v3/objects/deals; stages and pipelines are given by their internal IDs. */
export const createDealTool = defineTool({
  name: "hubspot.create_deal",
  description: "Create a deal in a HubSpot pipeline, with its amount and contact.",
  access: "write",
  input: Input,
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
  resource: ({ pipeline }: Input) =>
    pipeline?.trim() ? formatPlace("in the pipeline", quoteName(pipeline)) : "in the default pipeline",
  describeTarget: async ({ contact }, context) =>
    contact?.trim() ? `with ${describeContact(await findContact(context, contact))}` : "",
  async run(input, context) {
    const dealname = input.name.replace(/\s+/g, " ").trim();
    if (dealname === "") throw new Problem("INVALID_REQUEST", "A deal needs a name.", { details: { field: "name" } });
    const pipeline = findPipeline(await listPipelines(context), input.pipeline);
    const stage = getFirstStage(pipeline, input.stage);
    const contact = input.contact?.trim() ? await findContact(context, input.contact) : undefined;
    const properties = pickGiven({
      dealname,
      pipeline: pipeline.id,
      dealstage: stage.id,
      amount: input.amount === undefined ? undefined : String(input.amount),
      closedate: toCloseDate(input.close_date),
    });
    const tied = contact ? [{ id: contact.id, type: DEAL_TO_CONTACT }] : [];
    const { id } = await createRecord(context.http, "deals", properties, tied);
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

function describeCall(input: Input): string {
  const more = [
    input.amount !== undefined && `amount ${formatMoney(input.amount, undefined)}`,
    input.stage?.trim() && `stage ${input.stage.trim()}`,
    input.pipeline?.trim() && `pipeline ${input.pipeline.trim()}`,
    input.close_date?.trim() && `closes ${input.close_date.trim()}`,
    input.contact?.trim() && `with ${input.contact.trim()}`,
  ].filter(Boolean);
  const what = `Create the deal “${input.name.replace(/\s+/g, " ").trim()}”`;
  return more.length > 0 ? `${what} (${more.join(", ")})` : what;
}
