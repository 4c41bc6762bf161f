import { readFileSync } from "node:fs";
import { fitHelpPage } from "./narrow.ts";
import { formatHelpPage, getHelpWidth, type HelpTable } from "./page.ts";

/**
 * Finds the help page for a command line without building the commands. A separate program (`dist/help.js`), which the
 * launcher uses for plain help.
 */
export function findHelpPage(args: string[], table: string, columns: () => number): string | null {
  if (args.some((word) => word.includes(" "))) return null;
  const { pages, lines }: HelpTable = JSON.parse(readFileSync(table, "utf8"));
  const line = args.map((word) => (word === "-h" ? "--help" : word)).join(" ");
  const page = Object.hasOwn(lines, line) ? pages[lines[line] ?? -1] : undefined;
  if (!page) return null;
  const width = getHelpWidth(columns());
  return fitHelpPage(formatHelpPage(page, width), width);
}
