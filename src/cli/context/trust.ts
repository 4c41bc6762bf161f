import { basename } from "node:path";
import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { canPrompt, promptLine } from "../prompt/question.ts";
import { findProject, INSTRUCTIONS_FILE, type Project } from "./project.ts";
import type { Trust } from "./trust-file.ts";

/** The project of the current folder, and whether the user trusts its text. */
export type ProjectContext = { project: Project; trust: Trust };

/** Reads the project of the current folder; undefined if it has no file for kay. */
export function readProjectContext(kay: Kay): ProjectContext | undefined {
  const project = findProject(kay.cwd, kay.machine().paths.config());
  return project && { project, trust: kay.trust.read(project) };
}

/**
 * Asks on a terminal, once for each text, whether kay may use a project's text. Scripts are not asked and do not use
 * it.
 */
export async function askForTrust(kay: Kay): Promise<void> {
  if (kay.flags.json || !canPrompt(kay)) return;
  const context = readProjectContext(kay);
  if (!context || !isUndecided(context.trust) || !hasText(context.project)) return;
  const { project, trust } = context;
  const question = `${describeQuestion(project, trust)} ${kay.out.paint("dim", "[y/N, v to view]", "stderr")} `;
  for (;;) {
    const answer = (await promptLine(kay, question, kay.signal)).toLowerCase();
    if (answer !== "v" && answer !== "view") return await kay.trust.decide(project, /^y(es)?$/.test(answer));
    kay.terminal.stderr.write(`\n${formatProject(project)}\n\n`);
  }
}

/** Describes the unused text of a project and what to do; undefined if all is used. */
export function describeUntrusted({ project, trust }: ProjectContext): string | undefined {
  if (!isUndecided(trust) || !hasText(project)) return undefined;
  const reason = trust === "changed" ? "It changed since you decided about it." : "You have not trusted it yet.";
  return `${describeText(project)} of ${toLine(project.folder)} is not used. ${reason}`;
}

/** Stores the decision about the project of the current folder. @throws Problem NOT_FOUND without one */
export async function decideTrust(kay: Kay, use: boolean): Promise<Project> {
  const project = readProjectContext(kay);
  if (!project || !hasText(project.project))
    throw new Problem("NOT_FOUND", `${project?.project.faults[0] ?? `This folder has no ${INSTRUCTIONS_FILE}.`}`, {
      hint: `Write ${INSTRUCTIONS_FILE} here or in a parent folder, up to the root of the repository.`,
    });
  await kay.trust.decide(project.project, use);
  return project.project;
}

/** Formats all text of a project, file by file. */
export function formatProject({ instructions, aliases }: Project): string {
  const files = [...(instructions ? [instructions] : []), ...aliases];
  return files.map(({ path, text }) => `${toLine(path)}\n${text.replace(/^/gm, "  ")}`).join("\n\n");
}

/** Describes the files of a project: `KAY.md and the aliases review, triage`. */
export function describeText({ instructions, aliases }: Project): string {
  const names = aliases.map(({ path }) => toLine(basename(path, ".md")));
  const list = names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES), "…"] : names;
  const words = `the ${names.length === 1 ? "alias" : "aliases"} ${list.join(", ")}`;
  if (names.length === 0) return INSTRUCTIONS_FILE;
  return instructions ? `${INSTRUCTIONS_FILE} and ${words}` : words.replace("the", "The");
}

/** Maximum number of alias names in one sentence. */
const MAX_NAMES = 8;

function describeQuestion(project: Project, trust: Trust): string {
  const has = `${toLine(project.folder)} has ${describeText(project).replace(/^The/, "the").replace(/^KAY/, "a KAY")}`;
  const news = trust === "changed" ? `${has}, changed since you decided about it.` : `${has}.`;
  return `${news} kay would send the text to the model with your requests; it approves nothing.\nUse it?`;
}

function isUndecided(trust: Trust): boolean {
  return trust === "unknown" || trust === "changed";
}

function hasText({ instructions, aliases }: Project): boolean {
  return instructions !== undefined || aliases.length > 0;
}
