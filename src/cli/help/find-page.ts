import { readFileSync } from "node:fs";
import { formatHelpPage, getHelpWidth, type HelpTable } from "./page.ts";

/**
 * The page that a command line asks for, without the tree of commands: a program of its own (`dist/help.js`), which the launcher takes
 * for what is only help.
 *
 * @param args the arguments after `kay`
 * @param table path of the pages
 * @param columns asked for the width of the terminal where there is a page
 * @returns null for every line that is not just the way to a page: topics, other options, mistakes
 */
export function findHelpPage(args: string[], table: string, columns: () => number): string | null {
  if (args.some((word) => word.includes(" "))) return null;
  const { pages, lines }: HelpTable = JSON.parse(readFileSync(table, "utf8"));
  const line = args.map((word) => (word === "-h" ? "--help" : word)).join(" ");
  const page = Object.hasOwn(lines, line) ? pages[lines[line] ?? -1] : undefined;
  return page ? formatHelpPage(page, getHelpWidth(columns())) : null;
}
