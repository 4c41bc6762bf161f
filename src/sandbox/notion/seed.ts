import * as z from "zod/mini";

/** The Notion part of a seed. Everything that can be generated may be omitted. */

const text = z.string().check(z.minLength(1));
const optional = z.optional(text);
const uuid = z.optional(
  z.string().check(z.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "an id is a UUID in small letters")),
);

const User = z.strictObject({ id: uuid, name: text, email: text });

/** A block as stored; `text` lets seeds contain blocks as text. */
const Block: z.ZodMiniType<BlockSeed> = z.lazy(() =>
  z.strictObject({
    id: uuid,
    type: text,
    value: z.record(z.string(), z.unknown()),
    children: z.optional(z.array(Block)),
    created_time: optional,
  }),
);
export type BlockSeed = {
  id?: string;
  type: string;
  value: Record<string, unknown>;
  children?: BlockSeed[];
  created_time?: string;
};

const Comment = z.strictObject({ id: uuid, author: text, text: z.string(), created_time: optional });

const entry = {
  id: uuid,
  /** Paragraphs, headings (#), items (-, 1., - [ ]), quotes (>), code (```), rules (---). */
  text: z.optional(z.string()),
  blocks: z.optional(z.array(Block)),
  comments: z.optional(z.array(Comment)),
  created_by: optional,
  last_edited_by: optional,
  created_time: optional,
  last_edited_time: optional,
  in_trash: z.optional(z.boolean()),
};

const Page = z.strictObject({ title: z.string(), parent: z.optional(z.nullable(text)), ...entry });

const Cell = z.union([z.string(), z.number(), z.boolean(), z.array(text), z.null()]);
const Row = z.strictObject({ properties: z.record(z.string(), Cell), ...entry });

const PropertyType = z.enum([
  "title",
  "rich_text",
  "number",
  "select",
  "multi_select",
  "status",
  "date",
  "checkbox",
  "url",
  "email",
  "phone_number",
  "people",
]);
export type PropertyType = z.infer<typeof PropertyType>;
const Property = z.union([PropertyType, z.strictObject({ type: PropertyType, options: z.optional(z.array(text)) })]);

const Database = z.strictObject({
  id: uuid,
  data_source_id: uuid,
  title: text,
  parent: z.optional(z.nullable(text)),
  properties: z.record(z.string(), Property),
  rows: z.optional(z.array(Row)),
  created_time: optional,
  last_edited_time: optional,
});

export const NotionSeed = z.strictObject({
  workspace: z.optional(z.strictObject({ id: uuid, name: text })),
  users: z.array(User).check(z.minLength(1)),
  pages: z.optional(z.array(Page)),
  databases: z.optional(z.array(Database)),
});
export type NotionSeed = z.infer<typeof NotionSeed>;
export type PageSeed = z.infer<typeof Page>;
export type RowSeed = z.infer<typeof Row>;
export type DatabaseSeed = z.infer<typeof Database>;
