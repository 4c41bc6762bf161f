/** Last line of every answer of the offline planner, as it arrives in the text. */
const FOOTER = "_Answered by the offline planner, without a language model._";

/** Whether a line is the planner's footer, which programs do not need. */
export function isPlannerFooter(line: string): boolean {
  return line.trim() === FOOTER;
}

/** Removes the footer from the end of a text. */
export function stripPlannerFooter(text: string): string {
  const end = text.trimEnd();
  return end.endsWith(FOOTER) ? end.slice(0, -FOOTER.length).trimEnd() : text;
}
