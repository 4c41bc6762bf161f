import * as z from "zod/mini";

/** The Airtable part of a seed. Names are Airtable's own; everything that can be generated may be omitted. */

const text = z.string().check(z.minLength(1));
const createIdSchema = (kind: string) =>
  z.optional(
    z.string().check(z.regex(new RegExp(`^${kind}[A-Za-z0-9]{14}$`), `an id is ${kind} and 14 letters and digits`)),
  );

const Account = z.strictObject({ id: createIdSchema("usr"), name: text, email: text });

const FieldType = z.enum([
  "singleLineText",
  "multilineText",
  "email",
  "url",
  "phoneNumber",
  "number",
  "percent",
  "checkbox",
  "singleSelect",
  "multipleSelects",
  "date",
  "singleCollaborator",
  "multipleRecordLinks",
  "createdTime",
]);
export type FieldType = z.infer<typeof FieldType>;

const Field = z.strictObject({
  id: createIdSchema("fld"),
  name: text,
  type: z.optional(FieldType),
  choices: z.optional(z.array(text)),
  /** Name or ID of the table that a link field refers to. */
  linkedTable: z.optional(text),
  linkedTableId: z.optional(z.nullable(text)),
});

const Cell = z.union([z.string(), z.number(), z.boolean(), z.array(text)]);

const Rec = z.strictObject({
  id: createIdSchema("rec"),
  createdTime: z.optional(text),
  fields: z.record(z.string(), Cell),
});

const Table = z.strictObject({
  id: createIdSchema("tbl"),
  name: text,
  description: z.optional(z.string()),
  fields: z.array(Field).check(z.minLength(1)),
  records: z.optional(z.array(Rec)),
});

const Base = z.strictObject({
  id: createIdSchema("app"),
  name: text,
  permissionLevel: z.optional(z.enum(["none", "read", "comment", "edit", "create"])),
  /** Accounts that may open it; all if omitted. */
  members: z.optional(z.array(text)),
  tables: z.optional(z.array(Table)),
});

export const AirtableSeed = z.strictObject({
  accounts: z.array(Account).check(z.minLength(1)),
  bases: z.array(Base),
});
export type AirtableSeed = z.infer<typeof AirtableSeed>;
export type BaseSeed = z.infer<typeof Base>;
export type TableSeed = z.infer<typeof Table>;
