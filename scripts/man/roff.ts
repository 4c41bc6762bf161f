/** Characters that roff would interpret or draw differently: options must stay copyable. */
const SPECIAL: Record<string, string> = {
  "\\": "\\(rs",
  "-": "\\-",
  "'": "\\(aq",
  "`": "\\(ga",
  '"': "\\(dq",
  "^": "\\(ha",
  "~": "\\(ti",
};

/** Escapes a text for anywhere in a line. */
export function literal(text: string): string {
  const escaped = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    return SPECIAL[character] ?? (code > 126 ? `\\[u${code.toString(16).toUpperCase().padStart(4, "0")}]` : character);
  });
  return escaped.join("").replace(/^\./, "\\&.");
}

/** Joins the pieces of a page. A section begins with a paragraph and ends with a line break. */
export function page(pieces: string[]): string {
  return `${pieces.join("\n")}\n`.replace(/^(\.S[HS] .*\n)\.PP\n/gm, "$1").replace(/^\.br\n(?=\.SH)/gm, "");
}

/** Formats prose; text in backticks is bold. */
export function prose(text: string): string {
  return text
    .split("`")
    .map((part, at) => (at % 2 === 1 ? `\\fB${literal(part)}\\fR` : literal(part)))
    .join("");
}

export function paragraph(text: string): string {
  return `.PP\n${prose(text)}`;
}

/** Formats the description of a term; the term is already roff. */
export function formatTerm(term: string, text: string): string {
  return `.TP\n${term}\n${prose(text)}`;
}

/** Formats lines unchanged, indented. */
export function example(lines: string[]): string {
  const least = Math.min(...lines.filter(Boolean).map((line) => line.search(/\S/)));
  return [".PP\n.RS 4\n.nf", ...lines.map((line) => literal(line.slice(least)) || "\\&"), ".fi\n.RE"].join("\n");
}

/**
 * Converts a text of `kay help`: without its heading; terms are indented by two, with their description after two
 * spaces or further in. Everything else is a paragraph.
 */
export function definitions(topic: string): string {
  const blocks: { term?: string; text: string }[] = [];
  for (const line of topic.trim().split("\n").slice(1)) {
    const [, term, text = ""] = /^ {2}(\S.*?)(?: {2,}(\S.*))?$/.exec(line) ?? [];
    const last = blocks.at(-1);
    if (term) blocks.push({ term, text });
    else if (line.trim() === "") blocks.push({ text: "" });
    else if (last && (line.startsWith("   ") || last.term === undefined))
      last.text = `${last.text} ${line.trim()}`.trim();
    else blocks.push({ text: line.trim() });
  }
  const told = blocks.filter(({ term, text }) => term !== undefined || text !== "");
  return told
    .map(({ term, text }) => (term ? formatTerm(`\\fB${literal(term)}\\fR`, text) : paragraph(text)))
    .join("\n");
}
