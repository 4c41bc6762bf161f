/** How a text is emphasised. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan" | "underline";

/** How things are shown: cells of a line, and the paint for emphasis, which leaves the text as it is where colour is not wanted. */
export type Look = {
  width: number;
  paint(style: Style, text: string): string;
  /** Only text that can be read aloud: rows instead of columns, no lines drawn, no word or address broken. */
  plain?: boolean;
  /** Links are marked as such for the terminal (OSC 8), which then opens them; without, their addresses are written out. */
  links?: boolean;
};
