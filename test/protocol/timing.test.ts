import { expect, test } from "vitest";
import { describeTiming, formatTiming, parseTiming } from "#protocol/timing";

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
  ["every 2 hours", "2h"],
  ["1 hour 30 minutes", "90m"],
  ["half an hour", "30m"],
  ["hourly", "hour"],
  ["weekday at 9", "weekday 9:00"],
  ["9am on weekdays", "weekday 9:00"],
  ["daily at 18.30", "day 18:30"],
  ["9pm", "day 21:00"],
  ["every day at 12 a.m.", "day 0:00"],
  ["mon-fri at noon", "weekday 12:00"],
  ["Mon, Wed and Fri at 8:30 pm", "monday, wednesday, friday 20:30"],
  ["saturday to monday at 8", "sunday, monday, saturday 8:00"],
  ["every morning", "day 9:00"],
  ["sunday evenings at 7", "sunday 19:00"],
  ["at 5 in the afternoon every friday", "friday 17:00"],
  ["first of the month at 9", "1st of month 9:00"],
  ["monthly on the 22nd at 8", "22nd of month 8:00"],
  ["the last day of each month at 6pm", "last day of month 18:00"],
])("%s means %s", ([text = "", spelled]) => {
  expect(formatTiming(parse(text))).toBe(spelled);
  expect(parse(spelled ?? "")).toEqual(parse(text));
});

test.for([
  ["2h", "every 2 hours"],
  ["hour", "every hour"],
  ["90m", "every 90 minutes"],
  ["weekend 12:00", "every weekend at 12:00"],
  ["tuesday, thursday 8:05", "every Tuesday and Thursday at 8:05"],
  ["last day of month 18:00", "on the last day of every month at 18:00"],
])("%s is described as %s", ([text = "", description]) => {
  expect(describeTiming(parse(text))).toBe(description);
});

test.for([
  ["", "does not say when"],
  ["soon", "does not understand “soon”"],
  ["15", "does not say when"],
  ["15m 9:00", "An interval has no day and no time of day"],
  ["h", "does not understand “h”"],
  ["constructor 9:00", "does not understand “constructor”"],
  ["every other day", "does not understand “other”"],
  ["every second monday at 9", "does not understand “second”"],
  ["every 3 mondays", "does not understand “3”"],
  ["every 2 months on the 1st", "does not understand “2”"],
  ["every 2nd day", "has one date"],
  ["first monday of the month at 9", "has one date"],
  ["31st of the month at 9", "Not every month has this date"],
  ["monthly at 9", "On which day of the month?"],
  ["weekly at 9", "On which day of the week?"],
  ["weekdays except friday at 9", "does not understand “except”"],
  ["mondays at 9 and 17", "one time of day"],
  ["morning at 18:00", "is not in the morning"],
  ["13pm daily", "is not a time of day"],
  ["monday at 9 and", "does not understand “and”"],
  ["0m", "shortest interval is 1m"],
  ["30s", "shortest interval is 1m"],
  ["721h", "longest interval is 720h"],
  ["weekday", "time is missing"],
  ["weekday 24:00", "is not a time of day"],
  ["day 9:60", "is not a time of day"],
  ["day 9:00 10:00", "one time of day"],
])("%s is refused: %s", ([text = "", why]) => {
  expect(() => parse(text)).toThrow(
    expect.objectContaining({ code: "USAGE", message: expect.stringContaining(why ?? "") }),
  );
});
