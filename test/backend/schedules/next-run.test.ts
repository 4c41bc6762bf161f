import { expect, test } from "vitest";
import { findNextRun, listDueRuns } from "#backend/schedules/next-run";
import { parseTiming } from "#protocol/timing";

/** The next runs after a moment, in UTC. */
function list(timing: string, zone: string, after: string, count = 3): string[] {
  const runs: number[] = [];
  for (let time = Date.parse(after); runs.length < count; runs.push(time))
    time = findNextRun(parseTiming(timing, "USAGE"), zone, time);
  return runs.map((time) => new Date(time).toISOString().replace(":00.000Z", "Z"));
}

const due = (timing: string, zone: string, since: string, now: string) => {
  const runs = listDueRuns(parseTiming(timing, "USAGE"), zone, Date.parse(since), Date.parse(now));
  const show = (time: number) => new Date(time).toISOString().replace(":00.000Z", "Z");
  return { count: runs.count, last: show(runs.last), next: show(runs.next) };
};

test("weekdays exclude the weekend", () => {
  // 2026-11-27 is a Friday.
  expect(list("weekday 9:00", "Europe/Berlin", "2026-11-27T07:59:59Z")).toEqual([
    "2026-11-27T08:00Z",
    "2026-11-30T08:00Z",
    "2026-12-01T08:00Z",
  ]);
  expect(list("weekend 9:00", "UTC", "2026-11-27T12:00Z", 2)).toEqual(["2026-11-28T09:00Z", "2026-11-29T09:00Z"]);
});

test("a day of the week repeats a week later", () => {
  expect(list("monday 8:30", "UTC", "2026-11-30T08:30Z", 2)).toEqual(["2026-12-07T08:30Z", "2026-12-14T08:30Z"]);
});

test("a date repeats each month, and the last day is the month's own", () => {
  expect(list("1st of month 9:00", "UTC", "2026-12-01T09:00Z", 2)).toEqual(["2027-01-01T09:00Z", "2027-02-01T09:00Z"]);
  expect(list("last day of month 0:30", "Europe/Berlin", "2028-01-31T12:00Z", 2)).toEqual([
    "2028-02-28T23:30Z",
    "2028-03-30T22:30Z",
  ]);
});

test("the day is that of the zone, not of UTC", () => {
  expect(list("monday 0:30", "Asia/Tokyo", "2026-11-27T12:00Z", 1)).toEqual(["2026-11-29T15:30Z"]);
  expect(list("sunday 23:30", "America/Los_Angeles", "2026-11-27T12:00Z", 1)).toEqual(["2026-11-30T07:30Z"]);
  expect(list("day 0:00", "Pacific/Kiritimati", "2026-11-27T12:00Z", 1)).toEqual(["2026-11-28T10:00Z"]);
});

test("the time of day stays when summer time begins and ends", () => {
  expect(list("day 9:00", "Europe/Berlin", "2026-03-28T00:00Z")).toEqual([
    "2026-03-28T08:00Z",
    "2026-03-29T07:00Z",
    "2026-03-30T07:00Z",
  ]);
  expect(list("day 9:00", "America/New_York", "2026-10-31T00:00Z")).toEqual([
    "2026-10-31T13:00Z",
    "2026-11-01T14:00Z",
    "2026-11-02T14:00Z",
  ]);
});

test.for([
  // 2:00 becomes 3:00 in Berlin at 1:00 UTC.
  ["day 2:30", "Europe/Berlin", "2026-03-28T12:00Z", ["2026-03-29T01:00Z", "2026-03-30T00:30Z"]],
  ["day 2:00", "Europe/Berlin", "2026-03-28T12:00Z", ["2026-03-29T01:00Z", "2026-03-30T00:00Z"]],
  ["day 3:00", "Europe/Berlin", "2026-03-28T12:00Z", ["2026-03-29T01:00Z", "2026-03-30T01:00Z"]],
  ["sunday 2:30", "America/New_York", "2026-03-07T12:00Z", ["2026-03-08T07:00Z", "2026-03-15T06:30Z"]],
  // Midnight does not exist.
  ["day 0:00", "Asia/Beirut", "2026-03-28T12:00Z", ["2026-03-28T22:00Z", "2026-03-29T21:00Z"]],
  // Half an hour.
  ["day 2:15", "Australia/Lord_Howe", "2026-10-03T12:00Z", ["2026-10-03T15:30Z", "2026-10-04T15:15Z"]],
  // A whole day, which ends as Saturday begins.
  ["friday 9:00", "Pacific/Apia", "2011-12-28T12:00Z", ["2011-12-30T10:00Z", "2012-01-05T19:00Z"]],
] as const)(
  "%s in %s, skipped by the clock, runs once, at the next moment that exists",
  ([timing, zone, after, runs]) => {
    expect(list(timing, zone, after, 2)).toEqual(runs);
  },
);

test.for([
  // 3:00 becomes 2:00 in Berlin at 1:00 UTC.
  ["day 2:30", "Europe/Berlin", "2026-10-24T12:00Z", ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]],
  ["day 2:30", "Europe/Berlin", "2026-10-25T01:00Z", ["2026-10-26T01:30Z", "2026-10-27T01:30Z"]],
  ["day 1:30", "America/New_York", "2026-10-31T12:00Z", ["2026-11-01T05:30Z", "2026-11-02T06:30Z"]],
  ["day 1:45", "Australia/Lord_Howe", "2026-04-04T12:00Z", ["2026-04-04T14:45Z", "2026-04-05T15:15Z"]],
] as const)("%s in %s, shown twice, runs the first time", ([timing, zone, after, runs]) => {
  expect(list(timing, zone, after, 2)).toEqual(runs);
});

test("an interval counts from its start, whatever clocks do", () => {
  expect(list("90m", "Europe/Berlin", "2026-03-29T00:15Z")).toEqual([
    "2026-03-29T01:45Z",
    "2026-03-29T03:15Z",
    "2026-03-29T04:45Z",
  ]);
});

test("due runs are counted: their number, the last, and the next", () => {
  const friday = "2026-11-27T08:00Z";
  expect(due("weekday 9:00", "Europe/Berlin", friday, "2026-11-27T08:00:01Z")).toEqual({
    count: 1,
    last: "2026-11-27T08:00Z",
    next: "2026-11-30T08:00Z",
  });
  expect(due("weekday 9:00", "Europe/Berlin", friday, "2026-12-01T09:00Z")).toEqual({
    count: 3,
    last: "2026-12-01T08:00Z",
    next: "2026-12-02T08:00Z",
  });
  expect(due("1m", "UTC", friday, "2027-11-27T08:00Z")).toEqual({
    count: 525_601,
    last: "2027-11-27T08:00Z",
    next: "2027-11-27T08:01Z",
  });
});

test("years of missed days are counted up to a limit, and the next run is in the future", () => {
  const runs = due("day 9:00", "America/Sao_Paulo", "2016-01-01T12:00Z", "2026-11-27T12:30Z");
  expect(runs).toMatchObject({ count: 1_000, next: "2026-11-28T12:00Z" });
});
