import { clean } from "#protocol/clean";

/** A text in full, each line indented, runs of white space that push the rest out of sight folded to their count. */
export function foldWhitespace(text: string): string {
  return clean(text)
    .replace(/\n(?:[ \t]*\n){3,}/g, (run) => `\n[${run.split("\n").length - 2} blank lines]\n`)
    .replace(/[ \t]{20,}/g, (run) => ` [${run.length} spaces] `)
    .replace(/^/gm, "  ");
}
