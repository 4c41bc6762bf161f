/** Text of a service without what can trick a terminal or a reader: control sequences, bidi overrides, invisible characters. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(TRICKS, "");
}

/** C0 and C1 without tab and newline, whole escape sequences, bidi controls, zero-width characters (joiners of emoji stay). */
const TRICKS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-_])|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
