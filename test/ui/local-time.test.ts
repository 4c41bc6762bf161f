import { expect, test } from "vitest";
import { formatAge, formatLocalDay, formatLocalTime } from "#ui/text/local-time";

test.each([
  ["America/New_York", "2026-11-28 16:11 -05:00", "2026-11-28"],
  ["Europe/Berlin", "2026-11-28 22:11 +01:00", "2026-11-28"],
  ["Asia/Kolkata", "2026-11-29 02:41 +05:30", "2026-11-29"],
  ["UTC", "2026-11-28 21:11 UTC", "2026-11-28"],
])("B243 a time is shown in the zone of the machine, %s, and names it", (zone, time, day) => {
  expect([formatLocalTime("2026-11-28T21:11:05.123Z", zone), formatLocalDay("2026-11-28T21:11:05Z", zone)]).toEqual([
    time,
    day,
  ]);
});

test("B243 midnight is 00:00, and a text that is not a time is unchanged", () => {
  expect(formatLocalTime("2026-11-28T00:00:00Z", "UTC")).toBe("2026-11-28 00:00 UTC");
  expect([formatLocalTime("soon\u001b[31m"), formatLocalDay("")]).toEqual(["soon", ""]);
});

test.each([
  [-5, "just now"],
  [59, "just now"],
  [60, "1 min ago"],
  [7_199, "119 min ago"],
  [7_200, "2 h ago"],
  [172_799, "47 h ago"],
  [172_800, formatLocalDay("2026-11-26T12:00:00Z")],
])("the age after %i s is %j", (seconds, age) => {
  const now = Date.parse("2026-11-28T12:00:00Z");
  expect(formatAge(new Date(now - seconds * 1_000).toISOString(), now)).toBe(age);
});
