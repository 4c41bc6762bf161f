/** A search in plain fields. */
export type PageFilter = { text?: string; space?: string; type?: string; title?: string };

/**
 * CQL for a filter; values are quoted. Source: https://developer.atlassian.com/cloud/confluence/advanced-searching-using-cql/
 */
export function buildCql({ text, space, type, title }: PageFilter): string {
  const clauses = [
    `type = ${quote(/blog/i.test(type ?? "") ? "blogpost" : "page")}`,
    space?.trim() ? `space = ${quote(space)}` : "",
    title?.trim() ? `title = ${quote(title)}` : "",
    text?.trim() ? `(title ~ ${quote(plainWords(text))} OR text ~ ${quote(plainWords(text))})` : "",
  ];
  const order = text?.trim() ? "" : " ORDER BY lastmodified DESC";
  return clauses.filter(Boolean).join(" AND ") + order;
}

function quote(value: string): string {
  const line = value.replace(/\s+/g, " ").trim();
  return `"${line.replace(/\\/g, "\\\\").replace(/"/g, '\\"')}"`;
}

/** Words without the operators of the text search. */
function plainWords(text: string): string {
  return text.replace(/[+\-&|!(){}[\]^~*?\\/:"']/g, " ");
}
