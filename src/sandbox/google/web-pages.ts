import type { Context, Hono } from "hono";
import { html } from "hono/html";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { type Page, renderFacts, sendWebPage } from "../web-page.ts";
import { formatCell } from "./sheets/cells.ts";
import {
  type CalendarEvent,
  DOCUMENT_TYPE,
  type DriveFile,
  FOLDER_TYPE,
  type GoogleState,
  SPREADSHEET_TYPE,
} from "./state.ts";
import { formatZonedTime, getInstant } from "./times.ts";

/** Read-only pages that links lead to: mail, calendar and files. */
export function registerWebPages(app: Hono<SandboxEnv>, provider: ProviderContext<GoogleState>): void {
  app.get("/", (c) => {
    const places = { Mail: "/mail/u/", Calendar: "/calendar/r", Drive: "/drive/my-drive" };
    const list = Object.entries(places).map(([name, path]) => html`<li><a href="${path}">${name}</a></li>`);
    return sendWebPage(c, "Google", html`<ul>${list}</ul>`);
  });
  app.get("/mail/u/", (c) => sendMailbox(c, provider.world()));
  app.get("/calendar/r", (c) => sendCalendar(c, provider.world()));
  app.get("/calendar/event", (c) => {
    const [id = ""] = Buffer.from(c.req.query("eid") ?? "", "base64url")
      .toString()
      .split(" ");
    const event = provider.world().events.find((calendarEvent) => calendarEvent.id === id);
    return event ? sendWebPage(c, event.summary || "(no title)", renderEvent(event)) : c.notFound();
  });
  const showPage = (c: Context<SandboxEnv>, id: string, mimeType?: string) => {
    const file = provider
      .world()
      .files.find((file) => file.id === id && (mimeType === undefined || file.mimeType === mimeType));
    return file ? sendWebPage(c, file.name, renderFile(file, provider.world())) : c.notFound();
  };
  app.get("/document/d/:id/edit", (c) => showPage(c, c.req.param("id"), DOCUMENT_TYPE));
  app.get("/spreadsheets/d/:id/edit", (c) => showPage(c, c.req.param("id"), SPREADSHEET_TYPE));
  app.get("/drive/folders/:id", (c) => showPage(c, c.req.param("id"), FOLDER_TYPE));
  app.get("/file/d/:id/view", (c) => showPage(c, c.req.param("id")));
  app.get("/open", (c) => showPage(c, c.req.query("id") ?? ""));
  for (const path of ["/document/", "/spreadsheets/", "/drive/my-drive"])
    app.get(path, (c) => sendWebPage(c, "Files", renderFileList(provider.world().files)));
  app.get("/drive/trash", (c) =>
    sendWebPage(c, "Trash", renderFileList(provider.world().files.filter(({ trashed }) => trashed))),
  );
}

/** Lists every conversation of an account; the fragment of the URL leads to one of them. */
function sendMailbox(c: Context<SandboxEnv>, world: GoogleState) {
  const userIndex = c.req.query("authuser");
  const account = world.accounts.find(({ email }) => email === userIndex) ?? world.accounts[0];
  const messages = world.messages
    .filter((message) => message.account === account?.id)
    .sort((a, b) => b.date.localeCompare(a.date));
  const list = messages.map(
    (message) => html`<h2 id="all/${message.threadId}">${message.subject || "(no subject)"}</h2>
      <dl><dt>From</dt><dd>${message.from}</dd><dt>To</dt><dd>${message.to}</dd><dt>Date</dt><dd>${message.date}</dd>
      <dt>Labels</dt><dd>${message.labelIds.join(", ")}</dd></dl>
      <article>${message.text || message.html.replace(/<[^>]*>/g, " ")}</article>`,
  );
  return sendWebPage(c, `Mail of ${account?.name ?? "nobody"}`, html`${list}`);
}

function sendCalendar(c: Context<SandboxEnv>, world: GoogleState) {
  const events = [...world.events].sort((a, b) => getInstant(a.start, "UTC") - getInstant(b.start, "UTC"));
  return sendWebPage(
    c,
    "Calendar",
    html`${events.map((event) => html`<h2>${event.summary || "(no title)"}</h2>${renderEvent(event)}`)}`,
  );
}

function renderEvent({ start, end, organizer, attendees, location, description }: CalendarEvent): Page {
  const formatTime = (time: CalendarEvent["start"]) =>
    "date" in time ? time.date : formatZonedTime(Date.parse(time.dateTime), time.timeZone);
  const facts = {
    Begins: formatTime(start),
    Ends: formatTime(end),
    Organizer: organizer,
    Guests: attendees.map(({ email }) => email).join(", ") || "nobody",
    Where: location || "nowhere in particular",
  };
  return html`${renderFacts(facts)}<article>${description}</article>`;
}

function renderFile(file: DriveFile, world: GoogleState): Page {
  const facts = {
    Owner: world.accounts.find(({ id }) => id === file.owner)?.name ?? "nobody",
    Changed: file.modifiedTime,
    "Open to": file.permissions.map(({ type, role, emailAddress }) => `${emailAddress ?? type} (${role})`).join(", "),
    State: file.trashed ? "in the trash" : "there",
  };
  const paragraphs = (file.paragraphs ?? []).map(({ text, style, bullet }) =>
    style.startsWith("HEADING") ? html`<h2>${text}</h2>` : html`<article>${bullet ? "• " : ""}${text}</article>`,
  );
  const sheets = (file.sheets ?? []).map(
    ({ title, rows }) => html`<h2>${title}</h2>
      <table>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${formatCell(cell)}</td>`)}</tr>`)}</table>`,
  );
  const inside =
    file.mimeType === FOLDER_TYPE ? renderFileList(world.files.filter(({ parents }) => parents.includes(file.id))) : "";
  return html`${renderFacts(facts)}${paragraphs}${sheets}${inside}`;
}

function renderFileList(files: DriveFile[]): Page {
  return html`<ul>${files.map(({ name, id }) => html`<li><a href="/open?id=${id}">${name}</a></li>`)}</ul>`;
}
