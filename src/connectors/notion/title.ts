import * as z from "zod/mini";
import { quoteTitle } from "../place.ts";

/** A piece of text in a response. Every kind of piece has `plain_text`, except in requests. */
const Piece = z.looseObject({
  plain_text: z.nullish(z.string()),
  text: z.nullish(z.looseObject({ content: z.nullish(z.string()) })),
  equation: z.nullish(z.looseObject({ expression: z.nullish(z.string()) })),
  href: z.nullish(z.string()),
  annotations: z.nullish(
    z.looseObject({
      bold: z.nullish(z.boolean()),
      italic: z.nullish(z.boolean()),
      strikethrough: z.nullish(z.boolean()),
      code: z.nullish(z.boolean()),
    }),
  ),
});
export type Piece = z.output<typeof Piece>;

/** A page or data source as returned by lists and single reads. Source: https://developers.notion.com/reference/page */
export const NotionObject = z.looseObject({
  object: z.nullish(z.string()),
  id: z.string(),
  url: z.nullish(z.string()),
  title: z.nullish(z.array(z.unknown())),
  parent: z.nullish(z.record(z.string(), z.unknown())),
  last_edited_time: z.nullish(z.string()),
  in_trash: z.nullish(z.boolean()),
  properties: z.nullish(z.record(z.string(), z.looseObject({ type: z.nullish(z.string()) }))),
});
export type NotionObject = z.output<typeof NotionObject>;

/** Reads pieces of text, and skips those in another form. */
export function readPieces(pieces: unknown): Piece[] {
  return (Array.isArray(pieces) ? pieces : []).flatMap((piece) => {
    const { data } = Piece.safeParse(piece);
    return data ? [data] : [];
  });
}

export function getPieceText({ plain_text, text, equation }: Piece): string {
  return plain_text ?? text?.content ?? equation?.expression ?? "";
}

/** Joins pieces to plain text. */
export function joinPieces(pieces: unknown): string {
  return readPieces(pieces).map(getPieceText).join("");
}

/** Returns the title of a page, row or database. */
export function getTitle({ title, properties }: NotionObject): string {
  const titleProperty = Object.values(properties ?? {}).find(({ type }) => type === "title");
  return joinPieces(title ?? titleProperty?.title).trim() || "Untitled";
}

/** Describes a page or database for the approval of a call that names it: its title and ID. */
export function describeNotionObject(object: NotionObject): string {
  return `${quoteTitle(getTitle(object))} (${object.id})`;
}

/** Returns the web page of a page. */
export function getUrl({ url, id }: Pick<NotionObject, "url" | "id">): string {
  return url ?? `https://www.notion.so/${id.replaceAll("-", "")}`;
}
