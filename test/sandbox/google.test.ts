import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { GOOGLE, REDIRECT, sandbox } from "./stand-in.ts";

const AUTH = "https://www.googleapis.com/auth/";
const MAIL = `openid email ${AUTH}gmail.modify`;
const CALENDAR = `openid ${AUTH}calendar.events ${AUTH}calendar.readonly`;
const FILES = `openid ${AUTH}drive ${AUTH}documents ${AUTH}spreadsheets`;
const signIn = (scope: string, account?: string) => sandbox().signIn("google", scope, account);
const raw = (text: string) => Buffer.from(text.replace(/\n/g, "\r\n")).toString("base64url");

test("V12 offline access returns a refresh token at the first consent, and prompt=consent at each; a refresh returns none", async () => {
  const { code, exchange } = sandbox();
  const first = async (more: Record<string, string>) => {
    const grant_type = "authorization_code";
    return (
      await exchange("google", {
        grant_type,
        code: await code("google", MAIL, undefined, more),
        redirect_uri: REDIRECT,
      })
    ).body;
  };
  expect(await first({ access_type: "online" })).toEqual({
    access_token: expect.any(String),
    expires_in: 3599,
    scope: `openid ${AUTH}userinfo.email ${AUTH}gmail.modify`,
    token_type: "Bearer",
  });
  expect(await first({ access_type: "offline", prompt: "none" })).not.toHaveProperty("refresh_token");
  const { refresh_token } = await first({ access_type: "offline", prompt: "consent" });
  const refreshed = await exchange("google", { grant_type: "refresh_token", refresh_token });
  expect(Object.keys(refreshed.body).sort()).toEqual(["access_token", "expires_in", "scope", "token_type"]);
  expect(await exchange("google", { grant_type: "refresh_token", refresh_token: "none" })).toMatchObject({
    status: 400,
    body: { error: "invalid_grant", error_description: "Token has been expired or revoked." },
  });
  const fresh = sandbox();
  const grant = { grant_type: "authorization_code", redirect_uri: REDIRECT };
  const offline = await fresh.code("google", MAIL, undefined, { access_type: "offline", prompt: "select_account" });
  expect((await fresh.exchange("google", { ...grant, code: offline })).body).toHaveProperty("refresh_token");
});

test("V07 a code with a challenge needs its verifier", async () => {
  const { code, exchange } = sandbox();
  const verifier = "v".repeat(43);
  const code_challenge = createHash("sha256").update(verifier).digest("base64url");
  const more = { code_challenge, code_challenge_method: "S256" };
  const grant = { grant_type: "authorization_code", redirect_uri: REDIRECT };
  const refused = await exchange("google", { ...grant, code: await code("google", MAIL, undefined, more) });
  expect(refused).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  const right = { ...grant, code: await code("google", MAIL, undefined, more), code_verifier: verifier };
  expect((await exchange("google", right)).status).toBe(200);
});

test("a missing token, a missing scope, another mailbox and an unknown path are Google's errors", async () => {
  const world = sandbox();
  expect(await world.ask("google", "/gmail/v1/users/me/messages")).toMatchObject({
    status: 401,
    body: { error: { code: 401, status: "UNAUTHENTICATED", errors: [{ reason: "authError" }] } },
  });
  const { call } = await world.signIn("google", `openid ${AUTH}gmail.readonly`);
  expect((await call("/gmail/v1/users/me/messages/send", { method: "POST", json: { raw: "x" } })).body).toEqual({
    error: {
      code: 403,
      message: "Request had insufficient authentication scopes.",
      errors: [
        {
          message: "Request had insufficient authentication scopes.",
          domain: "global",
          reason: "insufficientPermissions",
        },
      ],
      status: "PERMISSION_DENIED",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
          domain: "googleapis.com",
        },
      ],
    },
  });
  expect((await call("/gmail/v1/users/sam@example.com/messages")).status).toBe(403);
  expect((await call("/drive/v3/nothing")).body.error.status).toBe("NOT_FOUND");
  expect((await call("/v1/userinfo")).body).toMatchObject({ sub: "108174562309871234501", email: "dana@example.com" });
});

test("mail is searched, paged, read in its formats, labelled, and sent to sandbox accounts", async () => {
  const world = sandbox();
  const { call } = await world.signIn("google", MAIL);
  const search = async (q: string) => (await call(`/gmail/v1/users/me/messages?q=${encodeURIComponent(q)}`)).body;
  expect((await search("in:inbox")).resultSizeEstimate).toBe(3);
  expect((await search("is:unread -from:sam")).resultSizeEstimate).toBe(1);
  expect((await search('subject:(release friday) "certificate"')).messages).toEqual([
    { id: "18f2a6c01b3d0001", threadId: "18f2a6c01b3d0001" },
  ]);
  expect(await search("nothing like it")).toEqual({ resultSizeEstimate: 0 });
  const first = (await call("/gmail/v1/users/me/messages?maxResults=2")).body;
  const second = (await call(`/gmail/v1/users/me/messages?maxResults=2&pageToken=${first.nextPageToken}`)).body;
  expect(new Set([...first.messages, ...second.messages].map(({ id }: { id: string }) => id)).size).toBe(4);
  const path = "/gmail/v1/users/me/messages/18f2a6c01b3d0001";
  expect((await call(`${path}?format=metadata&metadataHeaders=Subject`)).body.payload.headers).toEqual([
    { name: "Subject", value: "Release 1.4 on Friday?" },
  ]);
  const full = (await call(path)).body.payload;
  expect(Buffer.from(full.body.data, "base64url").toString()).toMatch(/^Hi Dana,\r\n\r\nKAY-6/);
  const text =
    "To: sam@example.com\nSubject: =?UTF-8?B?R3LDvMOfZQ==?=\n =?UTF-8?Q?_=F0=9F=8E=89?=\nContent-Transfer-Encoding: quoted-printable\n\nSch=C3=B6n=\ne Zeit";
  const answer = await call("/gmail/v1/users/me/messages/send", { method: "POST", json: { raw: raw(text) } });
  expect(answer.body.labelIds).toEqual(["SENT"]);
  const sam = await world.signIn("google", MAIL, "Sam Sample");
  const messages = (await sam.call("/gmail/v1/users/me/messages?q=is:unread")).body.messages;
  const { payload } = (await sam.call(`/gmail/v1/users/me/messages/${messages[0].id}`)).body;
  expect(payload.headers).toContainEqual({ name: "Subject", value: "Grüße 🎉" });
  expect(Buffer.from(payload.body.data, "base64url").toString()).toBe("Schöne Zeit");
  for (const [json, message] of [
    [{ raw: raw("no header at all") }, /payload message string/],
    [{ raw: raw("Subject: x\n\ny") }, /Recipient address required/],
  ] as const) {
    expect((await call("/gmail/v1/users/me/messages/send", { method: "POST", json })).body.error.message).toMatch(
      message,
    );
  }
  const json = { addLabelIds: ["Label_9"] };
  expect((await call(`${path}/modify`, { method: "POST", json })).status).toBe(400);
});

test("V13 events keep whole days unchanged; an ID is unique; only the organizer moves an event", async () => {
  const world = sandbox();
  const { call } = await world.signIn("google", CALENDAR);
  const events = "/calendar/v3/calendars/primary/events";
  const json = { id: "feast0000001", summary: "Holidays", start: { date: "2026-12-24" }, end: { date: "2026-12-27" } };
  expect((await call(events, { method: "POST", json })).body).toMatchObject({ start: json.start, end: json.end });
  expect((await call(events, { method: "POST", json })).body.error.message).toBe(
    "The requested identifier already exists.",
  );
  const between = "timeMin=2026-12-26T22:59:59Z&timeMax=2026-12-30T00:00:00Z&singleEvents=true&orderBy=startTime";
  expect((await call(`${events}?${between}`)).body.items).toMatchObject([
    { summary: "Holidays", end: { date: "2026-12-27" } },
  ]);
  const timed = {
    start: { dateTime: "2026-12-01T09:00:00", timeZone: "America/Los_Angeles" },
    end: { dateTime: "2026-12-01T18:30:00+01:00" },
  };
  expect((await call(events, { method: "POST", json: timed })).body).toMatchObject({
    start: { dateTime: "2026-12-01T09:00:00-08:00", timeZone: "America/Los_Angeles" },
    end: { dateTime: "2026-12-01T18:30:00+01:00", timeZone: "Europe/Berlin" },
  });
  for (const [body, message] of [
    [{ start: { date: "2026-12-24" }, end: { date: "2026-12-24" } }, "The specified time range is empty."],
    [
      { start: { dateTime: "2026-12-24T10:00:00" }, end: { date: "2026-12-25" } },
      "Missing time zone definition for start time.",
    ],
    [{ start: { date: "2026-12-24" } }, "Missing end time."],
  ] as const) {
    expect((await call(events, { method: "POST", json: body })).body.error.message).toBe(message);
  }
  expect((await call(`${events}?timeMin=2026-12-24`)).status).toBe(400);
  const sams = (await call(`${events}?q=Dana`)).body.items.find(
    (event: { summary: string }) => event.summary === "Sam and Dana",
  ).id;
  expect((await call(`${events}/${sams}`, { method: "PATCH", json: { summary: "x" } })).status).toBe(403);
  expect((await call(`${events}/feast0000001`, { method: "DELETE" })).status).toBe(204);
  expect((await call(`${events}/feast0000001`)).status).toBe(404);
});

test("files are found by Drive's language; documents and spreadsheets are read and written through their own APIs", async () => {
  const { call } = await signIn(FILES);
  const names = async (q: string, more = "") => {
    const { body } = await call(`/drive/v3/files?fields=files(name)&q=${encodeURIComponent(q)}${more}`);
    return body.files?.map(({ name }: { name: string }) => name) ?? body.error.message;
  };
  expect(await names("fullText contains 'hosting' and trashed = false")).toEqual(["Budget 2026"]);
  expect(await names("(name contains 'on' or name contains 'rel') and not mimeType = 'application/pdf'")).toEqual([
    "Release notes 1.4",
    "Onboarding",
  ]);
  expect(await names("name contains 'x' and")).toBe("Invalid Value");
  expect(await names("fullText contains 'x'", "&orderBy=name")).toMatch(/^Sorting is not supported/);
  const json = { title: "New" };
  const { documentId } = (await call("/v1/documents", { method: "POST", json })).body;
  const requests = [
    { insertText: { text: "one\ntwo", location: { index: 1 } } },
    { insertText: { text: "!", endOfSegmentLocation: {} } },
  ];
  await call(`/v1/documents/${documentId}:batchUpdate`, { method: "POST", json: { requests } });
  const { body } = (await call(`/v1/documents/${documentId}`)).body;
  expect(
    body.content
      .slice(1)
      .map(
        (element: { paragraph: { elements: [{ textRun: { content: string } }] } }) =>
          element.paragraph.elements[0].textRun.content,
      ),
  ).toEqual(["one\n", "two!\n"]);
  const beyond = { requests: [{ insertText: { text: "x", location: { index: 99 } } }] };
  expect((await call(`/v1/documents/${documentId}:batchUpdate`, { method: "POST", json: beyond })).status).toBe(400);
  const { spreadsheetId } = (
    await call("/v4/spreadsheets", { method: "POST", json: { properties: { title: "Sums" } } })
  ).body;
  const cells = `/v4/spreadsheets/${spreadsheetId}/values`;
  const values = [
    ["a", 1],
    ["b", true],
  ];
  expect(
    (await call(`${cells}/Sheet1!B2:C3?valueInputOption=RAW`, { method: "PUT", json: { values } })).body,
  ).toMatchObject({
    updatedRange: "Sheet1!B2:C3",
    updatedCells: 4,
  });
  expect((await call(`${cells}/B2:B2?valueInputOption=RAW`, { method: "PUT", json: { values } })).status).toBe(400);
  expect((await call(`${cells}/B2`, { method: "PUT", json: { values } })).body.error.message).toMatch(
    /valueInputOption/,
  );
  expect((await call(`${cells}/Sheet1`)).body.values).toEqual([[], ["", "a", "1"], ["", "b", "TRUE"]]);
  expect((await call(`${cells}/${encodeURIComponent("'No such'!A1")}`)).body.error.message).toBe(
    "Unable to parse range: 'No such'!A1",
  );
});

test("links lead to pages for users, and a seed in Google's terms builds a separate world", async () => {
  const seed = {
    google: {
      accounts: [{ id: "1", name: "Ada Byron", email: "ada@example.com", timeZone: "Europe/London" }],
      messages: [{ account: "Ada Byron", from: "bob@example.com", subject: "<b>Brass</b>", text: "Order it." }],
      events: [{ organizer: "ada@example.com", summary: "Tea", start: "+1d 16:00" }],
      files: [{ name: "Notes", owner: "Ada Byron", text: "# Notes\n- one" }],
    },
  };
  const world = sandbox({ seed });
  const { call } = await world.signIn("google", `${FILES} ${CALENDAR} ${MAIL}`);
  const [event] = (await call("/calendar/v3/calendars/primary/events")).body.items;
  expect([event.start, event.end]).toEqual([
    { dateTime: "2026-11-21T16:00:00Z", timeZone: "Europe/London" },
    { dateTime: "2026-11-21T17:00:00Z", timeZone: "Europe/London" },
  ]);
  expect((await world.ask("google", event.htmlLink)).text).toContain("Tea");
  expect((await world.ask("google", "/mail/u/?authuser=ada@example.com")).text).toContain("&lt;b&gt;Brass&lt;/b&gt;");
  const [file] = (await call("/drive/v3/files?fields=files(webViewLink)")).body.files;
  expect(file.webViewLink).toMatch(new RegExp(`^${GOOGLE}/document/d/[\\w-]{33}/edit$`));
  expect((await world.ask("google", file.webViewLink)).text).toContain("<h2>Notes</h2>");
  expect((await world.ask("google", "/")).status).toBe(200);
  const state = (await world.ask("google", "/_sandbox/state")).body;
  expect((await world.ask("google", "/_sandbox/state", { method: "PUT", json: state })).status).toBeLessThan(300);
});
