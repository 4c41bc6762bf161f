import { hash } from "node:crypto";
import {
  createSeedLookup,
  findNamed,
  parseMoment,
  requireUnique,
  requireUniqueValues,
  SeedError,
  type SeedLookup,
} from "../seed-build.ts";
import type { EventSeed, FileSeed, GoogleSeed, MessageSeed } from "./seed.ts";
import {
  type Account,
  type CalendarEvent,
  DOCUMENT_TYPE,
  type DriveFile,
  type EventTime,
  FOLDER_TYPE,
  type GoogleState,
  type Message,
  type Paragraph,
  SHORTCUT_TYPE,
  SPREADSHEET_TYPE,
} from "./state.ts";
import { addDays, formatZonedTime, getInstant, isTimeZone, parseSeedTime } from "./times.ts";

const HOUR_MS = 3_600_000;

type Lookup = SeedLookup & { accounts: Account[]; account(reference: string, path: string): Account };

/** Fills in a Google seed. @throws SeedError */
export function buildGoogle(data: GoogleSeed, now: number): GoogleState {
  const accounts = data.accounts.map((account) => ({ ...account, timeZone: account.timeZone ?? "Europe/Berlin" }));
  const invalidIndex = accounts.findIndex(({ timeZone }) => !isTimeZone(timeZone));
  if (invalidIndex >= 0)
    throw new SeedError(
      `accounts[${invalidIndex}].timeZone`,
      `there is no time zone "${accounts[invalidIndex]?.timeZone}"`,
    );
  requireUnique(accounts, "accounts", "id");
  const getNames = ({ id, email, name }: Account) => [id, email, name];
  const lookup: Lookup = {
    ...createSeedLookup(
      accounts.map((account) => ({ id: account.id, names: getNames(account) })),
      { now, days: 30 },
    ),
    accounts,
    account: (reference, path) => findNamed(accounts, getNames, reference, path, "account"),
  };
  const labels = (data.labels ?? []).map((label, index) => ({
    account: lookup.person(label.account, `labels[${index}].account`),
    id: label.id ?? `Label_${index + 1}`,
    name: label.name,
  }));
  const world = {
    accounts,
    labels,
    messages: (data.messages ?? []).map((message, index) => buildMessage(message, index, lookup)),
    events: (data.events ?? []).map((event, index) => buildEvent(event, index, lookup)),
    files: buildFiles(data.files ?? [], lookup),
  };
  requireUniqueValues(
    world.messages.map(({ account, id }) => `${account} ${id}`),
    (index) => `messages[${index}].id`,
  );
  requireUnique(world.events, "events", "id");
  requireUnique(world.files, "files", "id");
  return world;
}

/** Derives hex digits from a name, always the same. */
export function createHexFromName(name: string, length: number): string {
  return hash("sha256", name, "hex").slice(0, length);
}

/** Derives an ID like Drive's: 33 characters, the first of which is 1. */
function getFileId(name: string): string {
  return `1${hash("sha256", name, "base64url").slice(0, 32)}`;
}

/** Lines of text as paragraphs. */
function getParagraphs(text: string): Paragraph[] {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const [, hashes, title] = /^(#{1,6})\s+(.*)$/.exec(line) ?? [];
      if (hashes !== undefined) return { text: title ?? "", style: `HEADING_${hashes.length}`, bullet: false };
      const item = /^-\s+(.*)$/.exec(line)?.[1];
      return { text: item ?? line, style: "NORMAL_TEXT", bullet: item !== undefined };
    });
}

function buildMessage(data: MessageSeed, index: number, { now, person }: Lookup): Message {
  const path = `messages[${index}]`;
  const id = data.id ?? createHexFromName(`message ${index} ${data.account} ${data.subject ?? ""}`, 16);
  return {
    account: person(data.account, `${path}.account`),
    id,
    threadId: data.threadId ?? id,
    messageId: data.messageId ?? `<${id}@mail.example.com>`,
    from: data.from,
    to: data.to ?? "",
    cc: data.cc ?? "",
    bcc: data.bcc ?? "",
    subject: data.subject ?? "",
    date: parseMoment(data.date ?? "-1d", now, `${path}.date`),
    labelIds: data.labelIds ?? ["INBOX"],
    text: data.text ?? "",
    html: data.html ?? "",
    inReplyTo: data.inReplyTo ?? "",
    references: data.references ?? "",
    attachments: (data.attachments ?? []).map(({ filename, mimeType, size, sha256 }) => ({
      filename,
      mimeType: mimeType ?? "application/octet-stream",
      size: size ?? 1024,
      ...(sha256 ? { sha256 } : {}),
    })),
    ...(data.draft === undefined ? {} : { draft: data.draft }),
  };
}

function buildEvent(data: EventSeed, index: number, { now, account, accounts }: Lookup): CalendarEvent {
  const path = `events[${index}]`;
  const { email, timeZone } = account(data.organizer, `${path}.organizer`);
  const start = parseSeedTime(data.start, timeZone, now, `${path}.start`);
  const end =
    data.end === undefined ? endAfter(start, timeZone) : parseSeedTime(data.end, timeZone, now, `${path}.end`);
  if ("date" in start !== "date" in end)
    throw new SeedError(`${path}.end`, "start and end must both be days or both be times");
  if (getInstant(end, timeZone) < getInstant(start, timeZone))
    throw new SeedError(`${path}.end`, "it is before the start");
  const created = parseMoment(data.created ?? "-7d", now, `${path}.created`);
  return {
    id: data.id ?? createHexFromName(`event ${index} ${data.summary ?? ""}`, 26),
    organizer: email,
    summary: data.summary ?? "",
    description: data.description ?? "",
    location: data.location ?? "",
    start,
    end,
    attendees: (data.attendees ?? []).map((attendee) => {
      const { email: reference, responseStatus = "needsAction" } =
        typeof attendee === "string" ? { email: attendee } : attendee;
      const knownAccount = accounts.find(({ id, name }) => id === reference || name === reference);
      return { email: knownAccount?.email ?? reference, responseStatus };
    }),
    ...(data.recurringEventId === undefined ? {} : { recurringEventId: data.recurringEventId }),
    created,
    updated: parseMoment(data.updated ?? created, now, `${path}.updated`),
  };
}

function endAfter(start: EventTime, zone: string): EventTime {
  if ("date" in start) return { date: addDays(start.date) };
  return { dateTime: formatZonedTime(Date.parse(start.dateTime) + HOUR_MS, zone), timeZone: start.timeZone };
}

function buildFiles(seeds: FileSeed[], lookup: Lookup): DriveFile[] {
  const ids = seeds.map((data, index) => data.id ?? getFileId(`file ${index} ${data.name}`));
  return seeds.map((data, index) => {
    const path = `files[${index}]`;
    const parents = (data.parents ?? []).map((reference, parentIndex) => {
      const index = seeds.findIndex(
        (other, otherIndex) => ids[otherIndex] === reference || (other.name === reference && other !== data),
      );
      if (index < 0) throw new SeedError(`${path}.parents[${parentIndex}]`, `there is no folder "${reference}"`);
      return ids[index] ?? reference;
    });
    return buildFile(data, ids[index] ?? "", parents, path, lookup);
  });
}

function buildFile(data: FileSeed, id: string, parents: string[], path: string, { now, account }: Lookup): DriveFile {
  const owner = account(data.owner, `${path}.owner`);
  const mimeType =
    data.mimeType ??
    (data.shortcutDetails ? SHORTCUT_TYPE : undefined) ??
    (data.sheets ? SPREADSHEET_TYPE : (data.text ?? data.paragraphs) === undefined ? FOLDER_TYPE : DOCUMENT_TYPE);
  const createdTime = parseMoment(data.createdTime ?? "-30d", now, `${path}.createdTime`);
  const ownerPermission = {
    id: createHexFromName(owner.email, 20),
    type: "user" as const,
    role: "owner",
    emailAddress: owner.email,
  };
  const permissions = (data.permissions ?? []).filter(({ role }) => role !== "owner");
  return {
    id,
    name: data.name,
    mimeType,
    owner: owner.id,
    parents,
    description: data.description ?? "",
    createdTime,
    modifiedTime: parseMoment(data.modifiedTime ?? createdTime, now, `${path}.modifiedTime`),
    trashed: data.trashed ?? false,
    permissions: [
      ownerPermission,
      ...permissions.map((permission) => ({
        ...permission,
        id:
          permission.id ??
          (permission.type === "anyone" ? "anyoneWithLink" : createHexFromName(permission.emailAddress ?? "", 20)),
        type: permission.type ?? ("user" as const),
      })),
    ],
    ...(data.size === undefined ? {} : { size: data.size }),
    ...(data.shortcutDetails ? { shortcutDetails: { targetMimeType: FOLDER_TYPE, ...data.shortcutDetails } } : {}),
    ...(mimeType === DOCUMENT_TYPE ? { paragraphs: data.paragraphs ?? getParagraphs(data.text ?? "") } : {}),
    ...(mimeType === SPREADSHEET_TYPE
      ? {
          sheets: (data.sheets ?? [{ title: "Sheet1" }]).map((sheet, index) => ({
            sheetId: sheet.sheetId ?? index,
            title: sheet.title,
            rows: sheet.rows ?? [],
          })),
        }
      : {}),
  };
}
