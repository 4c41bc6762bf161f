import * as z from "zod/mini";

/** The HubSpot part of a seed. Names are HubSpot's own; everything that can be generated may be omitted. */

const text = z.string().check(z.minLength(1));
const optional = z.optional(text);
const id = z.optional(z.string().check(z.regex(/^\d+$/, "an id is made of digits")));

const Owner = z.strictObject({
  id,
  userId: z.optional(z.number().check(z.int(), z.gte(1))),
  email: text,
  firstName: text,
  lastName: z.optional(z.string()),
});

const Stage = z.strictObject({
  id: optional,
  label: text,
  /** Between 0 and 1; a closed stage with 1 is won. */
  probability: optional,
  isClosed: z.optional(z.boolean()),
});

const Pipeline = z.strictObject({ id: optional, label: text, stages: z.array(Stage).check(z.minLength(1)) });

/** Stages, pipelines and owners in properties may be IDs or names. */
const CrmRecord = z.strictObject({
  id,
  properties: z.record(z.string(), z.string()),
  createdAt: optional,
  updatedAt: optional,
  /** Contacts and deals associated with a deal or a note: IDs, addresses or names. */
  contacts: z.optional(z.array(text)),
  deals: z.optional(z.array(text)),
});

export const HubspotSeed = z.strictObject({
  portal: z.optional(
    z.strictObject({
      portalId: z.optional(z.number().check(z.int(), z.gte(1))),
      hub_domain: optional,
      companyCurrency: optional,
      timeZone: optional,
    }),
  ),
  owners: z.array(Owner).check(z.minLength(1)),
  pipelines: z.optional(z.array(Pipeline).check(z.minLength(1))),
  contacts: z.optional(z.array(CrmRecord)),
  deals: z.optional(z.array(CrmRecord)),
  notes: z.optional(z.array(CrmRecord)),
});
export type HubspotSeed = z.infer<typeof HubspotSeed>;
export type RecordSeed = z.infer<typeof CrmRecord>;
export type PipelineSeed = z.infer<typeof Pipeline>;
