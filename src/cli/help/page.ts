import { Help } from "commander";

/** A help page before layout, independent of the terminal. */
export type HelpPage = {
  usage: string;
  about: string;
  sections: [heading: string, items: [term: string, about: string][]][];
  /** Text after the sections, unchanged. */
  after: string;
};

/** Help pages, and the command lines that show them. The build writes it to `dist/help.json`. */
export type HelpTable = { pages: HelpPage[]; lines: Record<string, number> };

/** Maximum width of a page, for readability. */
export function getHelpWidth(columns: number): number {
  return Math.min(columns, 100);
}

/** Lays out the page at this width, in columns. */
export function formatHelpPage({ usage, about, sections, after }: HelpPage, width: number): string {
  const help = new Help();
  help.prepareContext({ helpWidth: width });
  const terms = sections.flatMap(([, items]) => items.map(([term]) => term.length));
  const termWidth = Math.max(0, ...terms);
  const blocks = sections.flatMap(([heading, items]) => [
    heading,
    ...items.map(([term, described]) => help.formatItem(term, termWidth, described, help)),
    "",
  ]);
  const lines = [`Usage: ${usage}`, "", ...(about ? [help.boxWrap(about, width), ""] : []), ...blocks];
  return `${lines.join("\n")}${after}`;
}
