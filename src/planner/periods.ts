/** A stretch of time in words, without the place of its words. */
export type Period = {
  bound: "on" | "after" | "before" | "length";
  start: string;
  end?: string;
  /** Of a `length`. */
  minutes?: number;
};

type Reader = (match: RegExpMatchArray, now: Date, past: boolean) => Period | undefined;

/** "This week", "last month": from its first to its last day. Weeks begin on Monday. */
const readPeriod: Reader = ([, which = "this", unit = ""], now) => {
  const shift = /next|coming/i.test(which) ? 1 : /last|past|previous/i.test(which) ? -1 : 0;
  return { bound: "on", ...getPeriod(unit.toLowerCase(), shift, now) };
};

function getPeriod(unit: string, shift: number, now: Date): { start: string; end: string } {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  const utc = (y: number, m: number, d: number) => new Date(Date.UTC(y, m, d)).toISOString().slice(0, 10);
  if (unit === "week") {
    const monday = day - ((now.getDay() + 6) % 7) + 7 * shift;
    return { start: utc(year, month, monday), end: utc(year, month, monday + 6) };
  }
  if (unit === "weekend") {
    const saturday = day - ((now.getDay() + 6) % 7) + 5 + 7 * shift;
    return { start: utc(year, month, saturday), end: utc(year, month, saturday + 1) };
  }
  if (unit === "year") return { start: utc(year + shift, 0, 1), end: utc(year + shift, 11, 31) };
  const first = unit === "quarter" ? month - (month % 3) + 3 * shift : month + shift;
  return { start: utc(year, first, 1), end: utc(year, first + (unit === "quarter" ? 3 : 1), 0) };
}

/** "In the last 3 days", "older than a month": a moment as far back as the unit says. */
function goBack(amount: string | undefined, unit: string, now: Date): string {
  const count = toCount(amount);
  const then = new Date(now);
  if (/^min/i.test(unit)) then.setMinutes(then.getMinutes() - count);
  else if (/^h/i.test(unit)) then.setHours(then.getHours() - count);
  else if (/^mon/i.test(unit)) then.setMonth(then.getMonth() - count);
  else if (/^y/i.test(unit)) then.setFullYear(then.getFullYear() - count);
  else then.setDate(then.getDate() - count * (/^w/i.test(unit) ? 7 : 1));
  const shown = then.toLocaleString("sv-SE").replace(" ", "T");
  return /^(min|h)/i.test(unit) ? shown : shown.slice(0, 10);
}

function toCount(amount: string | undefined): number {
  const text = amount?.trim().toLowerCase() ?? "1";
  return NUMBERS.get(text) ?? (Number(text) || 1);
}

/** Numbers in words. */
export const NUMBERS = new Map(
  ["a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"].map(
    (word, at) => [word, at + 1] as const,
  ),
);
NUMBERS.set("an", 1);
NUMBERS.set("one", 1);

const AMOUNT = String.raw`(\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten)`;
const UNIT = "(minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|years?)";

/** "In October": the last one, or the next one where time lies ahead. */
const readMonth: Reader = ([, name = "", year], now, past) => {
  const month = MONTHS.indexOf(name.slice(0, 3).toLowerCase());
  const shift = past ? (month > now.getMonth() ? -1 : 0) : month < now.getMonth() ? 1 : 0;
  const from = new Date(Date.UTC(year ? Number(year) : now.getFullYear() + shift, month, 1));
  const to = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0));
  return { bound: "on", start: from.toISOString().slice(0, 10), end: to.toISOString().slice(0, 10) };
};

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";

/** Stretches of time that people name, which chrono does not read as they mean them. */
export const PERIODS: { pattern: RegExp; read: Reader }[] = [
  {
    pattern: new RegExp(
      String.raw`\b(?:in |over |within |during |from |for )?(?:the )?(?:last|past|previous) ${AMOUNT} ${UNIT}\b`,
      "gi",
    ),
    read: ([, amount, unit = ""], now) => ({ bound: "after", start: goBack(amount, unit, now) }),
  },
  {
    pattern: new RegExp(String.raw`\b(?:older than|more than|over) ${AMOUNT} ${UNIT}(?: ago| old)?\b`, "gi"),
    read: ([said, amount, unit = ""], now) =>
      /^older|ago$|old$/i.test(said) ? { bound: "before", start: goBack(amount, unit, now) } : undefined,
  },
  {
    pattern: new RegExp(String.raw`\b(?:newer|younger|less) than ${AMOUNT} ${UNIT}(?: ago| old)?\b`, "gi"),
    read: ([, amount, unit = ""], now) => ({ bound: "after", start: goBack(amount, unit, now) }),
  },
  {
    pattern: new RegExp(
      String.raw`\bfor (?:about )?(?:(half an hour)|${AMOUNT} ?(minutes?|mins?|m|hours?|hrs?|h))\b`,
      "gi",
    ),
    read: ([, half, amount, unit = ""]) => {
      const minutes = half ? 30 : toCount(amount) * (/^h/i.test(unit) ? 60 : 1);
      return { bound: "length", start: "", minutes };
    },
  },
  {
    pattern:
      /\b(?:in |during |for |on |at )?(?:the )?(this|last|next|past|previous|coming) (weekend|week|month|quarter|year)(?:'s)?\b/gi,
    read: readPeriod,
  },
  {
    pattern: new RegExp(String.raw`\b(?:in|during|from|of) ${MONTH}(?: (20\d\d))?\b(?! \d| (?:to|until|till)\b)`, "gi"),
    read: readMonth,
  },
];
