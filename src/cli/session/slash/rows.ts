import { layOutTable } from "#ui/text/table";
import type { SlashContext } from "./command.ts";

/** Rows as text of the session's width; where text is read aloud each row is a block that names its columns. */
export function formatRows({ kay, width }: SlashContext, columns: string[], rows: string[][]): string {
  const { header, lines } = layOutTable(columns, rows, kay.flags.plain ? 0 : width());
  return (header === null ? lines : [kay.out.paint("dim", header), ...lines]).join("\n");
}
