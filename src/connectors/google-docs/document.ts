import * as z from "zod/mini";
import type { ToolContext } from "../tool.ts";

const Link = z.nullish(z.looseObject({ url: z.nullish(z.string()) }));

const Element = z.looseObject({
  textRun: z.nullish(
    z.looseObject({ content: z.nullish(z.string()), textStyle: z.nullish(z.looseObject({ link: Link })) }),
  ),
  person: z.nullish(
    z.looseObject({
      personProperties: z.nullish(z.looseObject({ name: z.nullish(z.string()), email: z.nullish(z.string()) })),
    }),
  ),
  richLink: z.nullish(
    z.looseObject({
      richLinkProperties: z.nullish(z.looseObject({ title: z.nullish(z.string()), uri: z.nullish(z.string()) })),
    }),
  ),
  dateElement: z.nullish(
    z.looseObject({ dateElementProperties: z.nullish(z.looseObject({ displayText: z.nullish(z.string()) })) }),
  ),
  inlineObjectElement: z.nullish(z.looseObject({ inlineObjectId: z.nullish(z.string()) })),
  horizontalRule: z.nullish(z.looseObject({})),
  equation: z.nullish(z.looseObject({})),
  footnoteReference: z.nullish(
    z.looseObject({ footnoteId: z.nullish(z.string()), footnoteNumber: z.nullish(z.string()) }),
  ),
});

/**
 * A part of a document. Nested parts (table cells, tabs) are parsed on access, because the schema cannot be recursive.
 */
const StructuralFields = z.looseObject({
  endIndex: z.nullish(z.number()),
  paragraph: z.nullish(
    z.looseObject({
      elements: z.nullish(z.array(Element)),
      paragraphStyle: z.nullish(z.looseObject({ namedStyleType: z.nullish(z.string()) })),
      bullet: z.nullish(z.looseObject({ listId: z.nullish(z.string()), nestingLevel: z.nullish(z.number()) })),
    }),
  ),
  table: z.nullish(
    z.looseObject({
      tableRows: z.nullish(
        z.array(
          z.looseObject({
            tableCells: z.nullish(z.array(z.looseObject({ content: z.nullish(z.array(z.unknown())) }))),
          }),
        ),
      ),
    }),
  ),
});
type Structural = z.output<typeof StructuralFields>;
/** Typed flat, because TypeScript reaches its limit for nested schemas. */
const Structural: z.ZodMiniType<Structural> = StructuralFields;

const Body = z.nullish(z.looseObject({ content: z.nullish(z.array(Structural)) }));

/** A level of a list. Numbered levels have a glyph type; others have a symbol or none. */
const Level = z.looseObject({ glyphType: z.nullish(z.string()), startNumber: z.nullish(z.number()) });
const List = z.looseObject({
  listProperties: z.nullish(z.looseObject({ nestingLevels: z.nullish(z.array(Level)) })),
});
type Lists = Record<string, z.output<typeof List>>;

const Content = {
  lists: z.nullish(z.record(z.string(), List)),
  body: Body,
  footnotes: z.nullish(z.record(z.string(), z.looseObject({ content: z.nullish(z.array(Structural)) }))),
};

const Tab = z.looseObject({
  tabProperties: z.nullish(z.looseObject({ title: z.nullish(z.string()) })),
  documentTab: z.nullish(z.looseObject(Content)),
  childTabs: z.nullish(z.array(z.unknown())),
});

/** A document as Docs returns it. Source: Docs API v1, "documents". */
export const Document = z.looseObject({
  documentId: z.string(),
  title: z.nullish(z.string()),
  ...Content,
  tabs: z.nullish(z.array(Tab)),
});
export type Document = z.output<typeof Document>;

/** Returns the web page of a document. */
export function buildDocumentUrl(context: Pick<ToolContext, "http">, id: string): string {
  return `${context.http.endpoints.web}/document/d/${encodeURIComponent(id)}/edit`;
}

/** Converts a document to Markdown: headings, lists, tables, links, footnotes, and every tab with its title. */
export function toMarkdown(document: Document): string {
  const tabs = (document.tabs ?? []).flatMap(flattenTabs);
  if (tabs.length === 0) return formatWhole(document);
  if (tabs.length === 1) return formatWhole(tabs[0]?.documentTab);
  return tabs
    .map((tab) => `# ${tab.tabProperties?.title ?? ""}\n\n${formatWhole(tab.documentTab)}`.trim())
    .join("\n\n");
}

/** Formats a text with its footnotes below, in the order of their references. */
function formatWhole(source: Pick<Document, "lists" | "body" | "footnotes"> | null | undefined): string {
  const lists = source?.lists ?? {};
  const content = source?.body?.content ?? [];
  const references = content.flatMap(({ paragraph }) => paragraph?.elements ?? []);
  const notes = references.flatMap(({ footnoteReference: note }) => {
    const text = formatContent(source?.footnotes?.[note?.footnoteId ?? ""]?.content ?? []);
    return text === "" ? [] : [`[^${note?.footnoteNumber ?? ""}]: ${text.replace(/\s+/g, " ")}`];
  });
  return [formatContent(content, lists), ...notes].filter(Boolean).join("\n\n");
}

function flattenTabs(tab: z.output<typeof Tab>): z.output<typeof Tab>[] {
  const children = (tab.childTabs ?? []).flatMap((child) => {
    const parsed = Tab.safeParse(child);
    return parsed.success ? flattenTabs(parsed.data) : [];
  });
  return [tab, ...children];
}

function formatContent(content: Structural[], lists: Lists = {}): string {
  const numbers = new Map<string, number[]>();
  let text = "";
  let inList = false;
  for (const piece of content) {
    const block = piece.table ? formatTable(piece.table) : formatParagraph(piece.paragraph, lists, numbers);
    if (block === "") continue;
    const list = Boolean(piece.paragraph?.bullet);
    text += text === "" ? block : `${list && inList ? "\n" : "\n\n"}${block}`;
    inList = list;
  }
  return text;
}

/** Google Docs has nine levels. */
const MAX_NESTING = 20;

/** Formats a paragraph. @param numbers the last number at each level of each list; updated */
function formatParagraph(paragraph: Structural["paragraph"], lists: Lists, numbers: Map<string, number[]>): string {
  const text = (paragraph?.elements ?? []).map(formatElement).join("").trim();
  if (text === "") return "";
  if (paragraph?.bullet) {
    const { listId, nestingLevel } = paragraph.bullet;
    const [id, depth] = [listId ?? "", Math.min(nestingLevel ?? 0, MAX_NESTING)];
    const level = lists[id]?.listProperties?.nestingLevels?.[depth];
    const numberPath = (numbers.get(id) ?? []).slice(0, depth + 1);
    numberPath[depth] = (numberPath[depth] ?? (level?.startNumber ?? 1) - 1) + 1;
    numbers.set(id, numberPath);
    const isNumbered = level?.glyphType && !/^(?:NONE|GLYPH_TYPE_UNSPECIFIED)$/.test(level.glyphType);
    return `${(isNumbered ? "   " : "  ").repeat(depth)}${isNumbered ? `${numberPath[depth]}.` : "-"} ${text}`;
  }
  const style = paragraph?.paragraphStyle?.namedStyleType ?? "";
  const level = style === "TITLE" ? 1 : Number(/^HEADING_(\d)$/.exec(style)?.[1] ?? 0);
  return level > 0 ? `${"#".repeat(level)} ${text}` : text;
}

function formatElement({
  textRun,
  person,
  richLink,
  dateElement,
  inlineObjectElement,
  horizontalRule,
  equation,
  footnoteReference,
}: z.output<typeof Element>): string {
  if (person) return person.personProperties?.name ?? person.personProperties?.email ?? "";
  if (richLink) return formatLink(richLink.richLinkProperties?.title ?? "", richLink.richLinkProperties?.uri);
  if (dateElement) return dateElement.dateElementProperties?.displayText ?? "";
  if (inlineObjectElement) return "[image]";
  if (horizontalRule) return "---";
  if (equation) return "[equation]";
  if (footnoteReference) return `[^${footnoteReference.footnoteNumber ?? ""}]`;
  const text = textRun?.content ?? "";
  return text.trim() === "" ? text : formatLink(text, textRun?.textStyle?.link?.url);
}

function formatLink(text: string, url: string | null | undefined): string {
  if (!url || text.trim() === url) return text;
  return text.trim() === "" ? url : `${text.trimEnd()} (${url})`;
}

function formatTable(table: NonNullable<Structural["table"]>): string {
  const rows = (table.tableRows ?? []).map((row) =>
    (row.tableCells ?? []).map((cell) => {
      const content = (cell.content ?? []).flatMap((piece) => {
        const parsed = Structural.safeParse(piece);
        return parsed.success ? [parsed.data] : [];
      });
      return formatContent(content).replace(/\s+/g, " ").replace(/\|/g, "\\|");
    }),
  );
  const [head, ...others] = rows;
  if (!head) return "";
  return [head, head.map(() => "---"), ...others].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
