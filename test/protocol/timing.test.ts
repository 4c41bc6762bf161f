import { expect, test } from "vitest";
import { formatTiming, parseTiming } from "#protocol/timing";

const parse = (text: string) => parseTiming(text, "USAGE");

test.for([
  ["15m", "15m"],
  ["90min", "90m"],
  ["60m", "hour"],
  ["Hour", "hour"],
  ["2h", "2h"],
  ["1h30m", "90m"],
  ["1440m", "24h"],
  ["day 18:00", "day 18:00"],
  ["Weekday  09:05", "weekday 9:05"],
  ["weekend 0:00", "weekend 0:00"],
  ["monday 8:30", "monday 8:30"],
  ["SUNDAY 23:59", "sunday 23:59"],
])("%s means %s", ([text = "", spelled]) => {
  expect(formatTiming(parse(text))).toBe(spelled);
  expect(parse(spelled ?? "")).toEqual(parse(text));
});

test.for([
  ["", "does not say when"],
  ["soon", "does not say when"],
  ["15", "does not say when"],
  ["15m 9:00", "does not say when"],
  ["h", "does not say when"],
  ["constructor 9:00", "does not say when"],
  ["0m", "shortest interval is 1m"],
  ["30s", "shortest interval is 1m"],
  ["721h", "longest interval is 720h"],
  ["weekday", "time is missing"],
  ["weekday 9", "is not a time of day"],
  ["weekday 24:00", "is not a time of day"],
  ["day 9:60", "is not a time of day"],
  ["day 9:00 10:00", "is not a time of day"],
])("%s is refused: %s", ([text = "", why]) => {
  expect(() => parse(text)).toThrow(
    expect.objectContaining({ code: "USAGE", message: expect.stringContaining(why ?? "") }),
  );
});
