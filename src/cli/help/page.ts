import { Help } from "commander";

/** A page of help before it is laid out: all of it that does not depend on the terminal. */
export type HelpPage = {
  usage: string;
  about: string;
  sections: [heading: string, items: [term: string, about: string][]][];
  /** What follows the sections, as it is. */
  after: string;
};

/** Pages, and by its words each command line that shows one of them. The build writes it to `dist/help.json`. */
export type HelpTable = { pages: HelpPage[]; lines: Record<string, number> };

/** Pages are easier to read when they are not as wide as the screen. */
export function getHelpWidth(columns: number): number {
  return Math.min(columns, 100);
}

/** The page as `commander` lays it out at this width, in columns. */
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
