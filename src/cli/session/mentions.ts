import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import type { AskRequest } from "#protocol/ask";
import { formatSize, MAX_ATTACHMENT_BYTES } from "#protocol/attachment-text";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { Candidate } from "#ui/editor/complete";
import { toLine } from "#ui/text/words";
import { checkAttachments, type ReadFile, toAttachments } from "../ask/attachments.ts";
import { readFileBytes, toDisplayName, toText } from "../ask/text-file.ts";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { MAX_INPUT_BYTES } from "../terminal/piped-input.ts";

/** Limits: offered files, folders that are read, and depth of folders. */
const MOST_FILES = 2_000;
const MOST_FOLDERS = 200;
const MOST_LEVELS = 4;

/** Lists files of the current folder that can be mentioned, nearest first. Hidden folders and dependencies are left out. */
export async function listMentionableFiles(cwd: string): Promise<Candidate[]> {
  const files: string[] = [];
  let folders = [""];
  let count = 0;
  for (let level = 0; level < MOST_LEVELS && folders.length > 0; level += 1) {
    const next: string[] = [];
    for (const folder of folders) {
      if (files.length >= MOST_FILES || count >= MOST_FOLDERS) break;
      count += 1;
      const entries = await readdir(join(cwd, folder), { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
        const path = join(folder, entry.name);
        if (entry.isDirectory()) next.push(path);
        else if (entry.isFile()) files.push(path);
      }
    }
    folders = next;
  }
  return files.slice(0, MOST_FILES).map((path) => ({ text: formatMention(path.split(sep).join("/")), note: "file" }));
}

/** Formats the mention of a path or a resource: in quotes if it has spaces. */
export function formatMention(path: string): string {
  return /\s/.test(path) ? `@"${path}"` : `@${path}`;
}

/** Files that a prompt mentions: texts for the context, other files to attach, and reasons why others were left out. */
export type MentionedFiles = { files: { name: string; text: string }[]; attached: ReadFile[]; notes: string[] };

/** Requests that forward a file. A text file is attached to these only, because agent servers refuse attachments. */
const SENDING = /\b(?:attach|upload|send|share|post|e-?mail|mail|forward|reply)(?:ing)?\b/i;

/** Reads the files that a prompt mentions with `@`. A mention that names no file is only text. */
export async function readMentionedFiles(kay: Pick<Kay, "cwd" | "signal">, prompt: string): Promise<MentionedFiles> {
  const mentions: MentionedFiles = { files: [], attached: [], notes: [] };
  let room = MAX_INPUT_BYTES;
  for (const path of listMentionedPaths(prompt)) {
    try {
      const bytes = await readFileBytes(kay, path, MAX_ATTACHMENT_BYTES);
      const name = toDisplayName(kay.cwd, path);
      const text = toText(bytes);
      const isAttached = text === undefined || (SENDING.test(prompt) && bytes.byteLength > 0);
      if (isAttached) mentions.attached.push({ name, bytes });
      if (text === undefined) continue;
      if (bytes.byteLength <= room) {
        room -= bytes.byteLength;
        mentions.files.push({ name, text });
      } else if (!isAttached)
        mentions.notes.push(
          `${JSON.stringify(name)} is too large: there is room for ${formatSize(room)}. Only its name was sent.`,
        );
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "USAGE") throw error;
      if (!/^File not found|is a folder/.test(error.message))
        mentions.notes.push(`${error.message} Only its name was sent.`);
    }
  }
  return mentions;
}

function listMentionedPaths(prompt: string): string[] {
  const matches = prompt.matchAll(/(?:^|[\s(])@(?:"([^"\n]+)"|([^\s"#]\S*))/gu);
  return [
    ...new Set(
      Array.from(matches, ([, quoted, unquoted = ""]) => quoted ?? unquoted.replace(/(?<![),.;:!?])[),.;:!?]+$/, "")),
    ),
  ].filter((path) => path !== "");
}

/** A resource of an MCP server that a prompt mentions, with the server's text. */
type MentionedResource = { name: string; text: string };

/** Maximum number of resources in one prompt. */
const MOST_RESOURCES = 10;

/**
 * Reads the resources that a prompt mentions (`@linear:issue://KAY-1`) with the servers' own tool. A mention of no
 * connected server is only text.
 */
async function readMentionedResources(
  kay: Kay,
  link: BackendHandle,
  prompt: string,
): Promise<{ resources: MentionedResource[]; notes: string[] }> {
  const mentions = listMentionedPaths(prompt).flatMap((path) => {
    const [, service, uri] = /^([a-z][a-z\d@-]*):(\S.*)$/.exec(path) ?? [];
    return service !== undefined && uri !== undefined ? [{ service, uri, name: path }] : [];
  });
  if (mentions.length === 0) return { resources: [], notes: [] };
  const { listServersWith } = await import("./server-lists.ts");
  const servers = await listServersWith(kay, link, "resources_read");
  const references = mentions.filter(({ service }) => servers.includes(service));
  const resources: MentionedResource[] = [];
  const notes = references
    .slice(MOST_RESOURCES)
    .map(
      ({ name }) =>
        `A request takes at most ${MOST_RESOURCES} resources, so only the name of ${toLine(name)} was sent.`,
    );
  for (const { service, uri, name } of references.slice(0, MOST_RESOURCES)) {
    try {
      const { output } = await link.api.callTool(`${service}.resources_read`, { uri }, { signal: kay.signal });
      resources.push({ name, text: clean(output.text) });
    } catch (error) {
      if (!(error instanceof Problem) || kay.signal.aborted) throw error;
      notes.push(`${toLine(name)} cannot be read. ${error.message} Only its name was sent.`);
    }
  }
  return { resources, notes };
}

/**
 * Returns the request fields for the files and resources that a prompt mentions.
 *
 * @throws Problem USAGE for too many files
 */
export async function readMentions(
  kay: Kay,
  link: BackendHandle,
  prompt: string,
): Promise<Pick<AskRequest, "context" | "attachments">> {
  if (!prompt.includes("@")) return {};
  const { files, attached, notes } = await readMentionedFiles(kay, prompt);
  checkAttachments(attached);
  const resources = await readMentionedResources(kay, link, prompt);
  for (const note of [...notes, ...resources.notes]) kay.out.warn(note);
  const context = {
    ...(files.length > 0 ? { files } : {}),
    ...(resources.resources.length > 0 ? { resources: resources.resources } : {}),
  };
  return { ...(Object.keys(context).length > 0 ? { context } : {}), ...toAttachments(attached) };
}
