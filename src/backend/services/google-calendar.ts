import * as z from "zod/mini";
import { googleEndpoints, googleIdentity, googleOAuth } from "./google.ts";
import { createEvent } from "./google-calendar/create.ts";
import { deleteEvent } from "./google-calendar/delete.ts";
import { freeBusy } from "./google-calendar/free-busy.ts";
import { listEvents } from "./google-calendar/list.ts";
import { updateEvent } from "./google-calendar/update.ts";
import type { Identity, Service, ServiceHttp } from "./service.ts";

/** Google Calendar. Source: https://developers.google.com/workspace/calendar/api/v3/reference */
export const googleCalendar: Service = {
  name: "google-calendar",
  title: "Google Calendar",
  oauth: googleOAuth(["calendar.events", "calendar.readonly"]),
  endpoints: googleEndpoints({ api: "https://www.googleapis.com", web: "https://calendar.google.com" }),
  identify: calendarIdentity,
  tools: [listEvents, createEvent, updateEvent, deleteEvent, freeBusy],
};

const Calendar = z.looseObject({ timeZone: z.nullish(z.string()) });

/** The account, and the time zone of its calendar, in which times without one are meant. */
async function calendarIdentity(http: ServiceHttp): Promise<Identity> {
  const identity = await googleIdentity(http);
  const path = "/calendar/v3/calendars/primary";
  const { timeZone } = await http.request({ path, answer: Calendar, scope: "calendar.readonly" });
  return { ...identity, metadata: { ...identity.metadata, time_zone: timeZone ?? "UTC" } };
}
