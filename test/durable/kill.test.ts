import { expect, test } from "vitest";
import { createCloseStep, createRequester, expectOneEffect, FIRST, LAST } from "#test/durable/killing";
import { usePlace } from "#test/durable/place";

const place = usePlace(createCloseStep);
const { request } = createRequester(place);
const TEXT = [...FIRST, ...LAST].join("");

/** Moments at which the write may have been sent when its process was killed. */
const MAY_HAVE_LEFT = /^(sent after|service|settled before)/;

for (const [moment, time] of [
  ["generation after", 1],
  ["model piece", 4],
  ["model after", 1],
  ["step-open after", 1],
  ["interaction after", 1],
  ["answer after", 1],
  ["sent before", 1],
  ["sent after", 1],
  ["service answered", 1],
  ["settled after", 1],
  ["outcome before", 2],
  ["outcome after", 2],
  ["model piece", 13],
  ["finish before", 1],
  ["finish after", 1],
] as const)
  test(`killed at "${moment}" (${time}), another process continues: one effect, no gap, nothing twice`, {
    timeout: 60_000,
  }, async () => {
    const killed = await request([{ at: moment, time }], TEXT);
    expect(killed).toMatchObject({ kills: 1, faults: [] });
    expectOneEffect(killed);
    expect(killed.receipt).toBe(MAY_HAVE_LEFT.test(moment) ? "unknown" : "settled");
  });

test("killed after the write arrived and before its answer, it is unknown and never sent again", {
  timeout: 60_000,
}, async () => {
  const { service } = place();
  let arrived: (() => void) | undefined;
  service.onArrival = () => {
    service.onArrival = undefined;
    arrived?.();
    return new Promise(() => {});
  };
  const died = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const { killRunning } = place();
  void died.then(killRunning);
  const killed = await request([], TEXT);
  expect(killed).toEqual({ kills: 1, faults: [], receipt: "unknown", arrived: 1 });
});

test.each(["failed after", "outcome before"])(
  'a write that the service refused is not sent again when its process is killed at "%s"',
  async (moment) => {
    const { service, database } = place();
    service.status = 422;
    try {
      const { kills, faults, arrived } = await request(
        [{ at: moment, time: moment === "outcome before" ? 2 : 1 }],
        TEXT,
      );
      expect({ kills, faults, arrived }).toEqual({ kills: 1, faults: [], arrived: 1 });
      const effects = database.db.selectFrom("effects").select(["state", "result"]).orderBy("created_at", "desc");
      expect(await effects.limit(1).execute()).toMatchObject([{ state: "failed", result: { code: "SERVICE_FAILED" } }]);
    } finally {
      service.status = 200;
    }
  },
  60_000,
);
