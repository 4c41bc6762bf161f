/** Styles of text. Yellow and cyan are only for borders and marks: many light themes make them hard to read. */
export type Style =
  | ("bold" | "dim" | "italic" | "strikethrough" | "underline")
  | ("red" | "green" | "yellow" | "cyan" | "magenta");

/**
 * How text is displayed: the width of a line in cells, and a function that applies styles, which returns the text
 * unchanged if color is off.
 */
export type Look = {
  width: number;
  paint(style: Style, text: string): string;
  /** Whether to print only text that can be read aloud: no columns, lines or split words. */
  plain?: boolean;
  /** Whether to mark links for the terminal to open (OSC 8) instead of writing out their URLs. */
  links?: boolean;
  /** Name of this terminal's client, which is shown as "you". */
  client?: string;
};
