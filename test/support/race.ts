import { openInk } from "./ink.ts";
import type { Machine } from "./kay.ts";

/**
 * Two sessions on two terminals answer the same card at the same moment, one card after the other.
 *
 * @returns for each card, which command's terminal approved it, as both terminals say; otherwise what they say
 */
export async function answerTogether(
  machine: Machine & { place: { clock: { sleep(ms: number): Promise<void> } } },
  cards: number,
): Promise<string[]> {
  const one = await openInk(machine, "ask");
  await one.sees("● jira");
  one.enter("delete KAY-1");
  await one.sees("1 once");
  const two = await openInk(machine, "attach");
  const told: string[] = [];
  for (let card = 1; card <= cards; card += 1) {
    if (card > 1) one.enter(`delete KAY-${card}`);
    await Promise.all([one, two].map((each) => each.sees(`issue: KAY-${card}`)));
    await Promise.all([one, two].map((each) => each.sees("1 once")));
    await machine.place.clock.sleep(1_300);
    for (const each of card % 2 === 0 ? [one, two] : [two, one]) each.type("1");
    const seen = await Promise.all([one, two].map((each) => each.shows(`KAY-${card} is deleted.`)));
    await Promise.all([one, two].map((each) => each.sheds(/working|1 once/)));
    told.push(
      findWinner(seen.map((all) => APPROVED.exec(all.slice(all.lastIndexOf("> delete KAY-")))?.[1] ?? "nobody")),
    );
  }
  for (const each of [one, two]) await each.leave();
  return told;
}

/** How an answered card says who answered it. */
const APPROVED = /approved by (you|kay (?:attach )?[0-9a-f]{4})/;

/** The terminal that answered says "you", and the other one names it. */
function findWinner([one = "", two = ""]: string[]): string {
  if (one === "you" && /^kay [0-9a-f]{4}$/.test(two)) return "kay";
  if (two === "you" && one.startsWith("kay attach ")) return "kay attach";
  return `${one}, ${two}`;
}
