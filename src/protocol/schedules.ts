import * as z from "zod/mini";
import { AskRequest } from "./ask.ts";
import { GenerationStatus } from "./events.ts";

/** Maximum number of schedules per user. */
export const MOST_SCHEDULES = 100;

/** Fields of a schedule that its runs have from `kay ask`. */
const limits = {
  model: AskRequest.shape.model,
  max_steps: AskRequest.shape.max_steps,
  allow: AskRequest.shape.allow,
  approval_timeout: AskRequest.shape.approval_timeout,
  /** As they were when the schedule was added: its runs have no folder. */
  instructions: AskRequest.shape.instructions,
  defaults: AskRequest.shape.defaults,
};

/** Body of `POST /schedules`. */
export const ScheduleRequest = z.looseObject({
  /** `15m`, `hour`, `day 18:00`, `weekday 9:00`, `monday 8:30`. */
  timing: z.string().check(z.maxLength(100)),
  /** IANA name of the zone that the time of day is in. */
  time_zone: z.string().check(z.maxLength(64)),
  prompt: z.string().check(z.minLength(1), z.maxLength(20_000)),
  ...limits,
});
export type ScheduleRequest = z.infer<typeof ScheduleRequest>;

/** A schedule. Times are ISO 8601. */
export const ScheduleView = z.looseObject({
  /** `schedule_…`. */
  id: z.string(),
  timing: z.string(),
  time_zone: z.string(),
  prompt: z.string(),
  paused: z.boolean(),
  /** Null while it is paused. */
  next_at: z.nullable(z.string()),
  /** The run that started last. `status` is absent once its conversation is deleted. */
  last_run: z.optional(
    z.looseObject({
      at: z.string(),
      session_id: z.string(),
      generation_id: z.string(),
      status: z.optional(GenerationStatus),
    }),
  ),
  /** The latest series of runs that did not start when they were due, and the reason of its last one. */
  missed: z.optional(
    z.looseObject({
      count: z.number(),
      since: z.string(),
      until: z.string(),
      /** `backend_off`: no backend ran. `signed_out`: its owner was signed out. `still_running`: the previous run had not ended. */
      reason: z.enum(["backend_off", "signed_out", "still_running"]),
    }),
  ),
  created_at: z.string(),
  ...limits,
});
export type ScheduleView = z.infer<typeof ScheduleView>;

/** Answer of `GET /schedules`, oldest first. */
export const SchedulesResponse = z.looseObject({ schedules: z.array(ScheduleView) });
export type SchedulesResponse = z.infer<typeof SchedulesResponse>;

/** Body of `PATCH /schedules/:id`. */
export const ScheduleChange = z.looseObject({ paused: z.boolean() });

/** Answer of `POST /schedules/:id/run`: the run that started. */
export const ScheduleRun = z.looseObject({ session_id: z.string(), generation_id: z.string() });
export type ScheduleRun = z.infer<typeof ScheduleRun>;

/** Answer of `DELETE /schedules/:id`. */
export const ScheduleDeleted = z.looseObject({ id: z.string(), deleted: z.boolean() });
