import { Hono } from "hono";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import {
  MOST_SCHEDULES,
  ScheduleChange,
  ScheduleRequest,
  type ScheduleRun,
  type SchedulesResponse,
  type ScheduleView,
} from "#protocol/schedules";
import { isTimeZone, resolveTimeZone } from "#protocol/time";
import { formatTiming, parseTiming } from "#protocol/timing";
import { authenticate } from "../accounts/authenticate.ts";
import { hashAccount, toAccount } from "../approvals/scope.ts";
import { delegationProblem, hasLimits } from "../generations/delegation.ts";
import type { Engine } from "../generations/engine.ts";
import { checkAllowList, checkModelChoice, parseChoices, parseLimits } from "../generations/request.ts";
import type { BackendPorts } from "../ports.ts";
import { findNextRun } from "../schedules/next-run.ts";
import type { Scheduler } from "../schedules/scheduler.ts";
import { startRun } from "../schedules/start-run.ts";
import { findGrant } from "../store/grants.ts";
import { lockInstallation } from "../store/installations.ts";
import {
  changeSchedule,
  deleteSchedule,
  insertSchedule,
  isRunning,
  listSchedules,
  lockSchedule,
  type StoredSchedule,
} from "../store/schedules.ts";
import { runTransaction } from "../store/wake-ups.ts";
import { readJsonBody } from "./body.ts";
import { answerOnce, authenticateWrite, type RequestRecord } from "./idempotency.ts";

/** Creates the routes for schedules: `/schedules`, `/schedules/:id`, `/schedules/:id/run`. */
export function createScheduleRoutes(ports: BackendPorts, engine: Engine, scheduler: Scheduler): Hono {
  const app = new Hono();
  app.get("/schedules", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const schedules = (await listSchedules(ports.db, installationId)).map(toView);
    return c.json({ schedules } satisfies SchedulesResponse);
  });
  app.post("/schedules", async (c) => {
    const { installationId } = await authenticateWrite(ports, c.req.raw);
    return await answerOnce(ports, installationId, c.req.raw, async (body, _, { begin }) => {
      const schedule = parseShape(ScheduleRequest, body, "the request");
      const id = await addSchedule(ports, scheduler, installationId, schedule, begin);
      return { status: 200, body: await getView(ports, installationId, id) };
    });
  });
  app.patch("/schedules/:id", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const { paused } = parseShape(ScheduleChange, await readJsonBody(c.req.raw), "the request");
    const id = c.req.param("id");
    await pauseSchedule(ports, scheduler, { installationId, id, paused });
    return c.json(await getView(ports, installationId, id));
  });
  app.delete("/schedules/:id", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const id = c.req.param("id");
    if (!(await deleteSchedule(ports.db, installationId, id))) throw scheduleNotFoundProblem();
    return c.json({ id, deleted: true });
  });
  app.post("/schedules/:id/run", async (c) => {
    const { installationId } = await authenticateWrite(ports, c.req.raw);
    const id = c.req.param("id");
    return await answerOnce(ports, installationId, c.req.raw, async (_body, _signal, { link }) => ({
      status: 200,
      body: await runNow(ports, engine, { installationId, id, link }),
    }));
  });
  return app;
}

/** Adds a schedule that runs first at its next time. Returns its ID. */
async function addSchedule(
  ports: BackendPorts,
  scheduler: Scheduler,
  installationId: string,
  schedule: ScheduleRequest,
  begin: () => void,
): Promise<string> {
  const { db, agent, clock } = ports;
  const timing = parseTiming(schedule.timing, "INVALID_REQUEST");
  const timeZone = isTimeZone(schedule.time_zone) ? resolveTimeZone(schedule.time_zone) : undefined;
  if (timeZone === undefined)
    throw new Problem("INVALID_REQUEST", `${JSON.stringify(schedule.time_zone)} is not a time zone.`, {
      hint: "Use an IANA name such as Europe/Berlin.",
      details: { field: "time_zone" },
    });
  const { timeZone: _, typed: __, ...chosen } = parseChoices(schedule);
  await checkAllowList(ports, installationId, schedule);
  const allowedAs = schedule.allow?.length
    ? { allowedAs: await hashAccounts(ports, installationId, schedule.allow) }
    : {};
  const request = { prompt: schedule.prompt, limits: { ...parseLimits(schedule), ...allowedAs }, ...chosen };
  await checkModelChoice(ports, schedule.model);
  if (agent && hasLimits({ ...request, confirm: false })) throw delegationProblem({ confirm: false });
  const now = clock.now();
  const nextAt = findNextRun(timing, timeZone, now);
  begin();
  const id = await db.transaction().execute(async (tx) => {
    await lockInstallation(tx, installationId);
    const row = { installation_id: installationId, timing: formatTiming(timing), time_zone: timeZone, request };
    return await insertSchedule(tx, { ...row, next_at: new Date(nextAt), created_at: new Date(now) }, MOST_SCHEDULES);
  });
  if (id === undefined)
    throw new Problem("INVALID_REQUEST", `You have ${MOST_SCHEDULES} schedules, which is the limit.`, {
      hint: "Remove one with `kay every remove`.",
    });
  scheduler.expect(nextAt);
  return id;
}

/** Returns a hash of the account that each service in a list of allowed tools is connected as. */
async function hashAccounts(
  { db }: BackendPorts,
  installationId: string,
  allow: string[],
): Promise<Record<string, string>> {
  const services = [...new Set(allow.map((entry) => entry.trim().split(".")[0] ?? ""))];
  const matches = await Promise.all(
    services.map(async (service) => {
      const grant = await findGrant(db, installationId, service);
      return grant ? [[service, hashAccount(toAccount(grant))] as const] : [];
    }),
  );
  return Object.fromEntries(matches.flat());
}

/** Pauses or resumes a schedule. A resumed schedule runs at its next time. */
async function pauseSchedule(
  { db, clock }: BackendPorts,
  scheduler: Scheduler,
  { installationId, id, paused }: { installationId: string; id: string; paused: boolean },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const storedSchedule = await lockSchedule(tx, installationId, id);
    if (!storedSchedule) throw scheduleNotFoundProblem();
    if ((storedSchedule.next_at === null) === paused) return;
    const timing = parseTiming(storedSchedule.timing, "INVALID_REQUEST");
    const nextAt = paused ? null : findNextRun(timing, storedSchedule.time_zone, clock.now());
    await changeSchedule(tx, id, { next_at: nextAt === null ? null : new Date(nextAt) });
    if (nextAt !== null) scheduler.expect(nextAt);
  });
}

/** Starts a run at once, also of a paused schedule. The next time stays. */
async function runNow(
  ports: BackendPorts,
  engine: Engine,
  { installationId, id, link }: { installationId: string; id: string } & Pick<RequestRecord, "link">,
): Promise<ScheduleRun> {
  const { conversationId, generationId } = await runTransaction(ports.db, async (tx) => {
    const storedSchedule = await lockSchedule(tx, installationId, id);
    if (!storedSchedule) throw scheduleNotFoundProblem();
    if (await isRunning(tx, storedSchedule))
      throw new Problem("BACKEND_BUSY", "The last run of this schedule has not ended.", {
        hint: "Run `kay pending` to see whether it needs an answer.",
        details: { session_id: storedSchedule.last_conversation_id },
      });
    const run = await startRun(ports, tx, storedSchedule, ports.clock.now());
    for (const change of link.changes(run)) await change.execute(tx);
    link.begin();
    return run;
  });
  engine.wake(generationId);
  return { session_id: conversationId, generation_id: generationId };
}

async function getView({ db }: BackendPorts, installationId: string, id: string): Promise<ScheduleView> {
  const schedule = (await listSchedules(db, installationId)).find((schedule) => schedule.id === id);
  if (!schedule) throw scheduleNotFoundProblem();
  return toView(schedule);
}

function toView(row: StoredSchedule & Pick<Awaited<ReturnType<typeof listSchedules>>[number], "status">): ScheduleView {
  const { prompt, model, approvalTimeout, instructions, defaults, limits } = row.request;
  const { last_at, last_conversation_id: session, last_generation_id: generation, status } = row;
  const { missed, missed_since: since, missed_until: until, missed_reason: reason } = row;
  return {
    id: row.id,
    timing: row.timing,
    time_zone: row.time_zone,
    prompt,
    paused: row.next_at === null,
    next_at: row.next_at?.toISOString() ?? null,
    ...(last_at && session && generation
      ? {
          last_run: {
            at: last_at.toISOString(),
            session_id: session,
            generation_id: generation,
            ...(status ? { status } : {}),
          },
        }
      : {}),
    ...(since && until && reason
      ? { missed: { count: missed, since: since.toISOString(), until: until.toISOString(), reason } }
      : {}),
    created_at: row.created_at.toISOString(),
    ...(model === undefined ? {} : { model }),
    ...(approvalTimeout === undefined ? {} : { approval_timeout: approvalTimeout }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(defaults === undefined ? {} : { defaults }),
    ...(limits.maxSteps === undefined ? {} : { max_steps: limits.maxSteps }),
    ...(limits.allow === undefined ? {} : { allow: limits.allow }),
  };
}

/** Creates the error for an unknown schedule, and for one of another installation. */
function scheduleNotFoundProblem(): Problem {
  return new Problem("NOT_FOUND", "No schedule has this ID.", { hint: "Run `kay every list` to list them." });
}
