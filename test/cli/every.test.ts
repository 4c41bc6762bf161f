import { expect, test, vi } from "vitest";
import { openInk } from "#test/ink";
import { type Machine, parseDocument, useKay } from "#test/kay";
import { withDesk } from "#test/session";

const kay = useKay();

vi.setConfig({ testTimeout: 60_000 });

/** The clock begins on Friday, 2026-11-27 at 12:00 UTC. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const openMachine = () => kay({ signedIn: true, services: withDesk([]), env: { TZ: "Europe/Berlin" } });

/** Moves time, and lets the backend check. */
async function pass(ann: Machine, ms: number) {
  ann.place.clock.advance(ms);
  await ann.place.backend.tick();
}

type Listed = {
  id: string;
  created_at: string;
  next_at: string | null;
  last_run?: { session_id: string; status?: string };
  missed?: { count: number; since: string; reason: string };
};

async function list(ann: Machine): Promise<Listed[]> {
  return (parseDocument(await ann("every list --json")) as { schedules: Listed[] }).schedules;
}

/** Returns the time this long after a schedule was created, from which its intervals count. */
const addTime = ({ created_at }: Listed, ms: number) => new Date(Date.parse(created_at) + ms).toISOString();

const titles = async (ann: Machine) => {
  await ann("sessions list --json");
  return (JSON.parse(ann.raw().stdout) as { data: { title: string }[] }).data.map(({ title }) => title);
};

test("a schedule runs at its time, in a separate conversation that it names", async () => {
  const ann = openMachine();
  const added = await ann(["every", "monday", "9:00", "show KAY-1"]);
  expect(added).toEqual({
    exit: 0,
    stdout: expect.stringMatching(/^[0-9a-f]{6}\n$/),
    stderr: expect.stringMatching(
      /^Runs “show KAY-1” every Monday at 9:00, Europe\/Berlin\. Next run: 2026-11-30 09:00 \+01:00\.\n/,
    ),
  });
  await pass(ann, 67 * HOUR);
  expect(await titles(ann)).toEqual([]);
  await pass(ann, 1 * HOUR);
  await expect.poll(async () => (await list(ann))[0]?.last_run?.status).toBe("completed");
  expect(await titles(ann)).toEqual(["Every Monday at 9:00: show KAY-1"]);
  expect((await list(ann))[0]?.next_at).toBe("2026-12-07T08:00:00.000Z");
  expect((await ann("sessions show latest")).stdout).toContain("KAY-1");
});

test.for([
  [["weekday at 9", "show KAY-1"], "every weekday at 9:00", "2026-11-30 09:00 +01:00"],
  [["monday", "9am", "show KAY-1"], "every Monday at 9:00", "2026-11-30 09:00 +01:00"],
  [["daily", "at", "18:30", "show", "KAY-1"], "every day at 18:30", "2026-11-27 18:30 +01:00"],
  [["morning", "show", "KAY-1"], "every day at 9:00", "2026-11-28 09:00 +01:00"],
  [
    ["first", "of", "the", "month", "at", "9", "show KAY-1"],
    "on the 1st of every month at 9:00",
    "2026-12-01 09:00 +01:00",
  ],
  [
    ["last day of the month at noon", "show", "KAY-1"],
    "on the last day of every month at 12:00",
    "2026-11-30 12:00 +01:00",
  ],
] as const)("kay every %j repeats the time that it understood: %s", async ([words, timing, next]) => {
  expect((await openMachine()(["every", ...words])).stderr).toMatch(
    `Runs “show KAY-1” ${timing}, Europe/Berlin. Next run: ${next}.\n`,
  );
});

test("requests of a run wait in kay pending, under the name of the schedule", async () => {
  const log: string[] = [];
  const ann = kay({ signedIn: true, services: withDesk(log) });
  await ann(["every", "15m", "delete KAY-3"]);
  await pass(ann, 15 * MINUTE);
  await expect.poll(async () => (await ann("pending")).stdout).toContain("Every 15 minutes: delete KAY-3");
  await pass(ann, 15 * MINUTE);
  const [openRequest] = (await list(ann)) as [Listed];
  expect(openRequest).toMatchObject({
    last_run: { status: "awaiting_approval" },
    missed: { count: 1, since: addTime(openRequest, 30 * MINUTE), reason: "still_running" },
  });
  await ann("pending --json");
  const { pending } = JSON.parse(ann.raw().stdout) as { pending: { id: string }[] };
  expect(pending).toHaveLength(1);
  expect((await ann(["answer", pending[0]?.id ?? "", "--approve"])).exit).toBe(0);
  expect(log).toEqual(["delete KAY-3"]);
  await expect.poll(async () => (await list(ann))[0]?.last_run?.status).toBe("completed");
  await pass(ann, 15 * MINUTE);
  await expect.poll(async () => await titles(ann)).toHaveLength(2);
});

test("missed runs are reported and not made up for", async () => {
  const ann = openMachine();
  await ann(["every", "weekday", "9:00", "show KAY-1"]);
  await pass(ann, 5 * 24 * HOUR);
  expect((await list(ann))[0]).toMatchObject({
    next_at: "2026-12-03T08:00:00.000Z",
    missed: { count: 3, since: "2026-11-30T08:00:00.000Z", reason: "backend_off" },
  });
  expect(await titles(ann)).toEqual([]);
  const { stdout, stderr } = await ann("every list");
  expect(stdout).toMatch(/^\w{6}\tweekday 9:00\t2026-12-03 09:00 \+01:00\t\t3\tshow KAY-1\n$/);
  expect(stderr).toMatch(/^\w{6} missed 3 runs since 2026-11-30 09:00 \+01:00: the backend was off\.\n$/);
  // The next run starts, and after a week the report is gone.
  await pass(ann, 20 * HOUR);
  await expect.poll(async () => (await list(ann))[0]?.last_run?.status).toBe("completed");
  expect((await ann("every list")).stderr).toContain("missed 3 runs");
  ann.place.clock.advance(7 * 24 * HOUR);
  await ann("connect jira");
  expect((await ann("every list")).stderr).toBe("");
});

test("a slightly late run starts, once", async () => {
  const ann = openMachine();
  await ann(["every", "15m", "show KAY-1"]);
  await pass(ann, 49 * MINUTE);
  await expect.poll(async () => (await list(ann))[0]?.last_run?.status).toBe("completed");
  const [late] = (await list(ann)) as [Listed];
  expect(late).toMatchObject({
    next_at: addTime(late, HOUR),
    missed: { count: 2, since: addTime(late, 15 * MINUTE), reason: "backend_off" },
  });
  expect(await titles(ann)).toHaveLength(1);
});

test("pause, resume, run and remove accept the start of the ID", async () => {
  const ann = openMachine();
  await ann(["every", "hour", "show KAY-2"]);
  const id = ann.raw().stdout.trim();
  expect((await ann(["every", "pause", id])).stdout).toBe("Paused “show KAY-2” (every hour).\n");
  await pass(ann, 3 * HOUR);
  expect(await list(ann)).toMatchObject([{ paused: true, next_at: null }]);
  expect((await list(ann))[0]).not.toHaveProperty("missed");
  expect((await ann("every list")).stdout).toContain("\tpaused\t");
  expect((await ann(["every", "resume", id])).stdout).toBe(
    "Resumed “show KAY-2” (every hour). Next: 2026-11-27 17:00 +01:00.\n",
  );
  const run = await ann(["every", "run", id]);
  expect(run).toMatchObject({
    exit: 0,
    stdout: "session_…\n",
    stderr: expect.stringMatching(/`kay attach [0-9a-f]{6}`/),
  });
  await expect.poll(async () => (await list(ann))[0]?.last_run?.status).toBe("completed");
  const [{ next_at }] = (await list(ann)) as [Listed];
  expect(next_at).toMatch(/^2026-11-27T16:00:/);
  expect((await ann(["every", "remove", id])).stdout).toBe("Removed “show KAY-2” (every hour).\n");
  await pass(ann, 3 * HOUR);
  expect(await titles(ann)).toHaveLength(1);
  expect(await ann(["every", "run", id])).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining("No schedule has the ID"),
  });
});

test("a running run prevents run now from starting another", async () => {
  const ann = kay({ signedIn: true, services: withDesk([]) });
  await ann(["every", "hour", "delete KAY-3"]);
  const id = ann.raw().stdout.trim();
  await ann(["every", "run", id]);
  await expect.poll(async () => (await list(ann))[0]?.last_run?.status).toBe("awaiting_approval");
  expect(await ann(["every", "run", id])).toMatchObject({
    exit: expect.not.stringMatching("0"),
    stderr: expect.stringContaining("The last run of this schedule has not ended."),
  });
});

test("a schedule of a signed-out user does not run, and its list says so", async () => {
  const ann = openMachine();
  await ann(["every", "hour", "show KAY-1"]);
  const signIn = await ann.stored();
  await ann("logout --yes");
  await pass(ann, 1 * HOUR);
  await pass(ann, 1 * HOUR);
  await ann.store(signIn);
  await ann(["connect", "jira"]);
  const [schedule] = await list(ann);
  expect(schedule).toMatchObject({ missed: { count: 2, reason: "signed_out" } });
  expect(schedule).not.toHaveProperty("last_run");
});

test("without an ID, a terminal shows a list to choose from", async () => {
  const ann = openMachine();
  await ann(["every", "hour", "show KAY-1"]);
  await ann(["every", "day", "18:00", "show KAY-2"]);
  const ink = await openInk(ann, "every pause");
  await ink.shows("Which schedule do you want to pause?");
  for (const key of ["KAY-2", "\r"]) ink.type(key);
  expect(await ink.result).toMatchObject({ exit: 0, stdout: "Paused “show KAY-2” (every day 18:00).\n" });
  const { exit, stderr } = await ann("every pause --no-input");
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr: expect.stringContaining("Missing required argument 'schedule'."),
  });
});

test("kay every alone lists schedules", async () => {
  const ann = openMachine();
  expect(await ann("every")).toMatchObject({ exit: 0, stdout: "", stderr: expect.stringContaining("No schedules.") });
});

test("options of kay ask are stored, and a time zone is validated", async () => {
  const ann = openMachine();
  const options = [
    "--timezone",
    "america/new_york",
    "--model",
    "offline",
    "--allow",
    "jira.close_issue",
    "--max-steps",
    "3",
  ];
  const line = ["every", "day", "18:00", "--json", "--approval-timeout", "2h", ...options, "show", "KAY-1"];
  expect(parseDocument(await ann(line))).toMatchObject({
    ...{
      timing: "day 18:00",
      time_zone: "America/New_York",
      prompt: "show KAY-1",
      next_at: "2026-11-27T23:00:00.000Z",
    },
    ...{ model: "offline", allow: ["jira.close_issue"], max_steps: 3, approval_timeout: 7200, paused: false },
  });
  expect((await ann("every list")).stdout).toContain("\tday 18:00 America/New_York\t2026-11-27 18:00 -05:00\t");
});

test.for([
  [
    ["every", "soon", "show KAY-1"],
    "kay does not understand “soon” as a time.\n  For example: weekday at 9:00, or 2 hours.",
  ],
  [["every", "weekdays", "except", "friday", "at", "9", "show KAY-1"], "kay does not understand “except” as a time."],
  [["every", "monday", "at", "9", "and", "17", "show", "KAY-1"], "“and” may belong to the time or to the prompt."],
  [["every", "30s", "show KAY-1"], "The shortest interval is 1m."],
  [["every", "weekday", "show KAY-1"], "The time is missing."],
  [["every", "weekday", "9:00"], "No prompt given."],
  [["every", "day", "9:00", "--timezone", "Mars/Olympus", "x"], '"Mars/Olympus" is not a time zone.'],
  [["every", "hour", "--allow", "jira.nothing", "x"], "jira.nothing"],
  [["every", "hour", "--model", "no:model", "x"], "Unknown model provider"],
])("%j is refused: %s", async ([line, reason]) => {
  const { exit, stdout, stderr } = await openMachine()(line as string[]);
  expect({ exit, stdout, stderr }).toEqual({
    exit: expect.any(Number),
    stdout: "",
    stderr: expect.stringContaining(reason as string),
  });
  expect(exit).not.toBe(0);
});

test("a time of day in a zone that TZ misspells is refused, and an interval has no zone", async () => {
  const ann = kay({ signedIn: true, services: withDesk([]), env: { TZ: "Europe/Berln" } });
  expect(await ann("every day 9:00 show KAY-1")).toEqual({
    exit: 2,
    stdout: "",
    stderr:
      '✗ TZ is "Europe/Berln", which is not a time zone.\n  Add --timezone with an IANA name such as Europe/Berlin.\n',
  });
  expect(await ann("every day 9:00 --timezone Europe/Berlin show KAY-1")).toMatchObject({ exit: 0 });
  expect(await ann("every 15m show KAY-1")).toMatchObject({ exit: 0 });
});

test.for(["--file", "--attach"])("a schedule takes no files (%s), which says how to give it text", async (option) => {
  expect(await kay({ signedIn: true })(["every", "15m", option, "notes.txt", "summarize it"])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(
      `✗ Schedules do not accept files, so ${option} cannot be used.\n  Write the text into`,
    ),
  });
});
