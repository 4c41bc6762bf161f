import { expect, test } from "vitest";
import { createSessionScreen } from "#cli/session/screen";
import { createSession } from "#ui/session/update";
import { createPainter } from "#ui/views/painter";

type Kay = Parameters<typeof createSessionScreen>[0];

test("a clock that was set back by a day does not freeze the screen", async () => {
  const sleeps: number[] = [];
  let now = Date.parse("2026-11-30T12:00:00Z");
  const clock = { now: () => now, sleep: async (ms: number) => void sleeps.push(ms) };
  const stdout = { columns: () => 80, rows: () => 24, write: () => {} };
  const terminal = { stdout, modes: () => () => {} };
  const kay = { clock, terminal, env: {}, out: { paint: {} } } as unknown as Kay;
  const frames: number[] = [];
  const painter = createPainter({ columns: 80, rows: 24 }, false);
  const screen = createSessionScreen(kay, painter, "here", () => frames.push(now));
  const status = { model: "", connection: "here" as const, services: [], title: "", profile: "default" };
  const session = createSession({ columns: 80, rows: 24, now, status });
  screen.show(session, "now");
  await expect.poll(() => frames.length).toBe(1);
  now -= 24 * 60 * 60_000;
  screen.show(session, "soon");
  await expect.poll(() => frames.length).toBe(2);
  now += 20;
  screen.show(session, "soon");
  await expect.poll(() => frames.length).toBe(3);
  expect(sleeps).toEqual([50, 30]);
});
