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
  const firstInk = await openInk(machine, "ask");
  await firstInk.sees("● jira");
  firstInk.enter("delete KAY-1");
  await firstInk.sees("1 once");
  const two = await openInk(machine, "attach");
  const results: string[] = [];
  for (let card = 1; card <= cards; card += 1) {
    if (card > 1) firstInk.enter(`delete KAY-${card}`);
    await Promise.all([firstInk, two].map((ink) => ink.sees(`issue: KAY-${card}`)));
    await Promise.all([firstInk, two].map((ink) => ink.sees("1 once")));
    await machine.place.clock.sleep(1_300);
    for (const ink of card % 2 === 0 ? [firstInk, two] : [two, firstInk]) ink.type("1");
    const screens = await Promise.all([firstInk, two].map((ink) => ink.shows(`KAY-${card} is deleted.`)));
    await Promise.all([firstInk, two].map((ink) => ink.sheds(/working|1 once/)));
    results.push(
      findWinner(screens.map((all) => APPROVED.exec(all.slice(all.lastIndexOf("> delete KAY-")))?.[1] ?? "nobody")),
    );
  }
  for (const each of [firstInk, two]) await each.leave();
  return results;
}

/** How an answered card says who answered it. */
const APPROVED = /approved by (you|kay (?:attach )?[0-9a-f]{4})/;

/** The terminal that answered says "you", and the other one names it. */
function findWinner([firstScreen = "", two = ""]: string[]): string {
  if (firstScreen === "you" && /^kay [0-9a-f]{4}$/.test(two)) return "kay";
  if (two === "you" && firstScreen.startsWith("kay attach ")) return "kay attach";
  return `${firstScreen}, ${two}`;
}
