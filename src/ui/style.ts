/** Styles of text. */
export type Style = "bold" | "dim" | "italic" | "strikethrough" | "red" | "green" | "yellow" | "cyan" | "underline";

/**
 * How text is displayed: the width of a line in cells, and a function that applies styles, which returns the text
 * unchanged if color is off.
 */
export type Look = {
  width: number;
  paint(style: Style, text: string): string;
  /** Only text that can be read aloud: no columns, no lines drawn, no split words or URLs. */
  plain?: boolean;
  /** Whether to mark links for the terminal to open (OSC 8) instead of writing out their URLs. */
  links?: boolean;
};
