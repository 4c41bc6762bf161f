import { join } from "node:path";
import { SERVICE_DEFAULTS } from "#client/settings/table";
import type { AskRequest, Instruction } from "#protocol/ask";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { type ContextFile, readContextFile } from "./files.ts";
import { INSTRUCTIONS_FILE } from "./project.ts";
import { describeUntrusted, readProjectContext } from "./trust.ts";

/** A file with standing instructions, and whether requests carry it. */
export type InstructionsFile = ContextFile & {
  origin: Instruction["origin"];
  trust: "own" | "trusted" | "refused" | "changed" | "unknown";
};

/** Standing instructions in this folder, and sentences about unused ones. */
export type StandingInstructions = { files: InstructionsFile[]; notes: string[] };

/** Reads the user's own instructions and those of the project, whether they are used or not. */
export async function readInstructions(kay: Kay): Promise<StandingInstructions> {
  const file = readContextFile(join(kay.machine().paths.config(), INSTRUCTIONS_FILE));
  const project = readProjectContext(kay);
  const files: InstructionsFile[] = [];
  if (file.file) files.push({ ...file.file, origin: "person", trust: "own" });
  if (project?.project.instructions)
    files.push({ ...project.project.instructions, origin: "project", trust: project.trust });
  const untrusted = project && describeUntrusted(project);
  const notes = [
    ...(file.fault ? [file.fault] : []),
    ...(project?.project.faults ?? []),
    ...(untrusted ? [`${untrusted} Run \`kay context trust\`.`] : []),
  ];
  return { files, notes };
}

/** Whether requests carry the file. */
export function isUsed({ trust }: Pick<InstructionsFile, "trust">): boolean {
  return trust === "own" || trust === "trusted";
}

/** Returns the user's defaults for requests that name no project, channel, and so on. */
export async function readDefaults(kay: Kay): Promise<Record<string, string>> {
  const settings = await kay.settings();
  return Object.fromEntries(
    SERVICE_DEFAULTS.flatMap((key) => {
      const value = settings.text(key);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}

/**
 * Returns the standing instructions and defaults for a request. Prints a note once for a file that is untrusted or
 * unreadable, or for a backend that does not accept them.
 */
export async function readStandingContext(
  kay: Kay,
  link: BackendHandle,
): Promise<Pick<AskRequest, "instructions" | "defaults">> {
  const { files, notes } = await readInstructions(kay);
  for (const note of notes) sayOnce(kay, note);
  const defaults = await readDefaults(kay);
  const instructions = files
    .filter(isUsed)
    .map(({ origin, text }): Instruction => ({ source: INSTRUCTIONS_FILE, origin, text }));
  const hasDefaults = Object.keys(defaults).length > 0;
  if (instructions.length === 0 && !hasDefaults) return {};
  const features = (await link.api.capabilities({ signal: kay.signal }))?.features ?? [];
  if (!features.includes("instructions")) {
    sayOnce(kay, "This backend does not accept instructions and defaults, so they were omitted.");
    return {};
  }
  return { ...(instructions.length > 0 ? { instructions } : {}), ...(hasDefaults ? { defaults } : {}) };
}

function sayOnce(kay: Kay, note: string): void {
  if (kay.saidNotes.has(note)) return;
  kay.saidNotes.add(note);
  kay.out.warn(note);
}
