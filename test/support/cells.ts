import { Terminal } from "@xterm/headless";

/**
 * How text looks on a terminal of this width: each visible row, and the number of cells up to its last character,
 * counted by the emulator and not by kay.
 */
export async function onTerminal(text: string, columns: number): Promise<{ rows: string[]; cells: number[] }> {
  const rows = text.split("\n").length;
  const terminal = new Terminal({ cols: columns + 20, rows: rows + 2, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(text.replaceAll("\n", "\r\n"), resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: rows }, (_, row) => active.getLine(row));
  const screen = {
    rows: lines.map((line) => line?.translateToString(true) ?? ""),
    cells: lines.map((line) => {
      for (let column = columns + 19; column >= 0; column -= 1)
        if (line?.getCell(column)?.getChars()) return column + 1;
      return 0;
    }),
  };
  terminal.dispose();
  return screen;
}
