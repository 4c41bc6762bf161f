import { expect, test } from "vitest";
import type { DeskLog } from "#test/desk";
import { useKay } from "#test/kay";
import { answerTogether } from "#test/race";
import { withDesk } from "#test/session";

const kay = useKay();

test("two sessions that answer the same card 200 times do each thing once, and both say who answered", {
  timeout: 3_600_000,
}, async () => {
  const log: DeskLog = [];
  const winners = await answerTogether(kay({ signedIn: true, services: withDesk(log) }), 200);
  expect(log).toEqual(Array.from({ length: 200 }, (_, index) => `delete KAY-${index + 1}`));
  expect(winners).toHaveLength(200);
  for (const winner of winners) expect(winner).toMatch(/^kay( attach)?$/);
});
