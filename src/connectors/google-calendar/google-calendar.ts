import * as z from "zod/mini";
import { createGoogleEndpoints, createGoogleOAuth, fetchGoogleIdentity } from "../google/oauth.ts";
import { SAFE_GET } from "../http/generic-request.ts";
import type { Identity } from "../oauth.ts";
import type { Service } from "../service.ts";
import type { ServiceHttp } from "../service-http.ts";
import { createEventTool } from "./create.ts";
import { findFreeTimeTool } from "./free-busy.ts";
import { listEventsTool } from "./list.ts";
import { deleteEventTool, updateEventTool } from "./update.ts";

/** Google Calendar. Source: https://developers.google.com/workspace/calendar/api/v3/reference */
export const googleCalendar: Service = {
  name: "google-calendar",
  title: "Google Calendar",
  oauth: createGoogleOAuth(["calendar.events", "calendar.readonly"]),
  endpoints: createGoogleEndpoints({ api: "https://www.googleapis.com", web: "https://calendar.google.com" }),
  api: { genericReads: SAFE_GET },
  identify: fetchCalendarIdentity,
  tools: [listEventsTool, createEventTool, updateEventTool, deleteEventTool, findFreeTimeTool],
};

const Calendar = z.looseObject({ timeZone: z.nullish(z.string()) });

/** Returns the account and its calendar's time zone, which applies to times without an offset. */
async function fetchCalendarIdentity(http: ServiceHttp): Promise<Identity> {
  const identity = await fetchGoogleIdentity(http);
  const path = "/calendar/v3/calendars/primary";
  const { timeZone } = await http.request({ path, answer: Calendar, scope: "calendar.readonly" });
  return { ...identity, metadata: { ...identity.metadata, time_zone: timeZone ?? "UTC" } };
}
