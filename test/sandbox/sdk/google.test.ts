import { calendar } from "@googleapis/calendar";
import { drive } from "@googleapis/drive";
import { gmail } from "@googleapis/gmail";
import { expect, test } from "vitest";
import { options } from "./google-client.ts";
import { catchFailure } from "./served.ts";

test("@googleapis/gmail reads mail, labels it and sends some", async () => {
  const mail = gmail({ version: "v1", ...(await options("gmail.modify")) });
  const all = (await mail.users.messages.list({ userId: "me" })).data.messages ?? [];
  const first = (await mail.users.messages.list({ userId: "me", maxResults: 2 })).data;
  const pageToken = first.nextPageToken ?? "";
  const second = (await mail.users.messages.list({ userId: "me", maxResults: 2, pageToken })).data;
  expect([...(first.messages ?? []), ...(second.messages ?? [])]).toEqual(all.slice(0, 4));
  const raw = Buffer.from("To: sam@example.com\r\nSubject: Colours\r\n\r\nBlue?").toString("base64url");
  const message = (await mail.users.messages.send({ userId: "me", requestBody: { raw } })).data;
  expect(message.labelIds).toContain("SENT");
  const read = await mail.users.messages.get({
    userId: "me",
    id: message.id ?? "",
    format: "metadata",
    metadataHeaders: ["Subject", "To"],
  });
  expect(read.data.payload?.headers?.map(({ name }) => name).sort()).toEqual(["Subject", "To"]);
  const labelled = await mail.users.messages.modify({
    userId: "me",
    id: message.id ?? "",
    requestBody: { addLabelIds: ["STARRED"] },
  });
  expect(labelled.data.labelIds).toContain("STARRED");
});

test("@googleapis/calendar lists, creates, changes and deletes events", async () => {
  const calendars = calendar({ version: "v3", ...(await options("calendar")) });
  const where = { calendarId: "primary" };
  const query = { ...where, singleEvents: true, orderBy: "startTime", timeMin: "2026-11-01T00:00:00Z" };
  const all = (await calendars.events.list(query)).data.items ?? [];
  const first = (await calendars.events.list({ ...query, maxResults: 1 })).data;
  expect(first.items?.[0]?.id).toBe(all[0]?.id);
  const second = (await calendars.events.list({ ...query, maxResults: 1, pageToken: first.nextPageToken ?? "" })).data;
  expect(second.items?.[0]?.id).toBe(all[1]?.id);
  const [start, end] = ["2026-11-23T09:00:00Z", "2026-11-23T10:00:00Z"].map((dateTime) => ({ dateTime }));
  const event = await calendars.events.insert({ ...where, requestBody: { summary: "Colours", start, end } });
  const eventId = event.data.id ?? "";
  const moved = await calendars.events.patch({ ...where, eventId, requestBody: { location: "Room 1" } });
  expect(moved.data).toMatchObject({ summary: "Colours", location: "Room 1", status: "confirmed" });
  expect((await calendars.events.delete({ ...where, eventId })).status).toBe(204);
});

test("@googleapis/drive lists page by page under a field mask, and creates and renames a file", async () => {
  const files = drive({ version: "v3", ...(await options("drive")) });
  const fields = "nextPageToken, files(id, name)";
  const names: string[] = [];
  let pageToken: string | undefined;
  do {
    const { data } = await files.files.list({ pageSize: 2, fields, ...(pageToken ? { pageToken } : {}) });
    names.push(...(data.files ?? []).map(({ name }) => name ?? ""));
    pageToken = data.nextPageToken ?? undefined;
  } while (pageToken);
  expect(names).toEqual((await files.files.list()).data.files?.map(({ name }) => name));
  const requestBody = { name: "Colours", mimeType: "application/vnd.google-apps.folder" };
  const file = await files.files.create({ requestBody, fields: "id,name" });
  expect(file.data).toEqual({ id: expect.any(String), name: "Colours" });
  const fileId = file.data.id ?? "";
  expect((await files.files.update({ fileId, requestBody: { name: "Greens" } })).data.name).toBe("Greens");
});

test("Google's clients report missing objects and a missing scope, and refresh a token", async () => {
  const { client, ...rest } = await options("gmail.readonly");
  const mail = gmail({ version: "v1", ...rest });
  expect(await catchFailure(mail.users.messages.get({ userId: "me", id: "nothing" }))).toMatchObject({
    status: 404,
    message: "Requested entity was not found.",
  });
  expect(await catchFailure(mail.users.messages.send({ userId: "me", requestBody: { raw: "" } }))).toMatchObject({
    status: 403,
    message: "Request had insufficient authentication scopes.",
  });
  const { token: oldToken } = await client.getAccessToken();
  const { credentials } = await client.refreshAccessToken();
  expect(credentials.access_token).not.toBe(oldToken);
  expect((await mail.users.getProfile({ userId: "me" })).data.emailAddress).toBe("dana@example.com");
});
