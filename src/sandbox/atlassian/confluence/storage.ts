/** A piece of Confluence's storage format (XHTML): a text or an element. */
export type StorageNode = string | { name: string; attributes: Record<string, string>; children: StorageNode[] };

/** Storage format that is not well-formed; the sentence is Confluence's. */
export class StorageError extends Error {}

const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  rarr: "→",
};
const PIECE =
  /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<(\/?)([a-zA-Z][\w:-]*)((?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)|(<)/g;

/** Parses storage format. @throws StorageError */
export function parseStorage(text: string): StorageNode[] {
  const root = { name: "", attributes: {}, children: [] as StorageNode[] };
  const openElements = [root];
  for (const [, cdata, closing, name, attributes, empty, plain, stray] of text.matchAll(PIECE)) {
    const parent = openElements.at(-1) ?? root;
    if (stray !== undefined) throw new StorageError("Error parsing xhtml: Unexpected character '<'");
    if (cdata !== undefined) parent.children.push(cdata);
    else if (plain !== undefined) parent.children.push(decode(plain));
    else if (name !== undefined && closing === "/") close(openElements, name);
    else if (name !== undefined) {
      const element = { name, attributes: getAttributes(attributes ?? ""), children: [] as StorageNode[] };
      parent.children.push(element);
      if (empty === "") openElements.push(element);
    }
  }
  const top = openElements.at(-1);
  if (top && top !== root)
    throw new StorageError(
      `Error parsing xhtml: Unexpected end of document; was expecting a close tag for element <${top.name}>`,
    );
  return root.children;
}

/** Returns the text of a page, as its search index has it. */
export function getStorageText(pieces: StorageNode[]): string {
  const texts = pieces.map((piece) => {
    if (typeof piece === "string") return piece;
    const inner = getStorageText(piece.children);
    return BLOCKS.has(piece.name) ? `${inner}\n` : inner;
  });
  return texts.join("");
}

/** Escapes text for storage format. */
export function escapeStorage(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

const BLOCKS = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "tr", "td", "th", "br", "pre", "blockquote"]);

function close(openElements: { name: string }[], name: string) {
  const last = openElements.at(-1);
  if (openElements.length < 2 || last?.name !== name) {
    throw new StorageError(
      `Error parsing xhtml: Unexpected close tag </${name}>${last?.name ? `; expected </${last.name}>` : ""}`,
    );
  }
  openElements.pop();
}

function getAttributes(text: string): Record<string, string> {
  const matches = text.matchAll(/([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries([...matches].map((match) => [match[1] ?? "", decode(match[2] ?? match[3] ?? "")]));
}

function decode(text: string): string {
  return text.replace(/&(#x?[0-9a-fA-F]+|\w+);/g, (entity, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name] ?? entity;
    const code = name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
