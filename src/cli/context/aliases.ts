import { unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { ensurePrivateFolder, getErrno } from "#files/folders";
import { unwritableProblem, writeWholeFile } from "#files/replace-file";
import { suggestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { type ContextFile, readContextFolder } from "./files.ts";
import { readProjectContext } from "./trust.ts";

/** A saved prompt with a name. */
export type Alias = {
  name: string;
  /** The prompt, with placeholders: `$1` to `$9`, and `$@` or `$ARGUMENTS` for all arguments. */
  text: string;
  /** Description in one line. */
  description: string;
  /** `person`: the user's own file. `project`: a file of a project that the user trusted. */
  origin: "person" | "project";
  path: string;
};

/** Lists the aliases that can be used here: the user's own, then those of a trusted project with other names. */
export async function listAliases(kay: Kay): Promise<Alias[]> {
  const files = readContextFolder(getFolder(kay)).flatMap(({ file }) => file ?? []);
  const project = readProjectContext(kay);
  const shared = project?.trust === "trusted" ? project.project.aliases : [];
  const aliases = [
    ...files.map((file) => toAlias(file, "person")),
    ...shared.map((file) => toAlias(file, "project")),
  ].filter(({ name, text }) => NAME.test(name) && text !== "");
  return [...new Map(aliases.toReversed().map((alias) => [alias.name, alias])).values()].reverse();
}

/** Whether the user or the project, trusted or not, has an alias with this name. */
export async function hasAlias(kay: Kay, name: string): Promise<boolean> {
  const files = readContextFolder(getFolder(kay));
  const project = readProjectContext(kay)?.project.aliases ?? [];
  return [...files.flatMap(({ file }) => file ?? []), ...project].some(({ path }) => basename(path) === `${name}.md`);
}

/** Writes an alias of the user, atomically. @throws Problem USAGE, STORE_UNREADABLE */
export async function writeAlias(kay: Kay, name: string, text: string, reserved: readonly string[]): Promise<Alias> {
  if (!NAME.test(name))
    throw new Problem("USAGE", `${JSON.stringify(toLine(name))} is not a valid alias name.`, {
      hint: "Use lowercase letters, digits and hyphens, such as standup or release-notes.",
    });
  if (reserved.includes(name))
    throw new Problem("USAGE", `${name} is a kay command.`, { hint: "Choose another name." });
  if (text.trim() === "") throw new Problem("USAGE", "The prompt is empty.");
  const path = join(getFolder(kay), `${name}.md`);
  ensurePrivateFolder(getFolder(kay));
  await writeWholeFile(path, `${text.trim()}\n`).catch((error: unknown) => {
    throw unwritableProblem(path, error);
  });
  return toAlias({ path, text: text.trim() }, "person");
}

/** Removes an alias of the user. @throws Problem NOT_FOUND, STORE_UNREADABLE */
export async function removeAlias(kay: Kay, name: string): Promise<void> {
  const path = join(getFolder(kay), `${name}.md`);
  try {
    if (!NAME.test(name)) throw Object.assign(new Error("no name of an alias"), { code: "ENOENT" });
    await unlink(path);
  } catch (error) {
    if (getErrno(error) !== "ENOENT") throw unwritableProblem(path, error);
    const aliases = (await listAliases(kay)).filter(({ origin }) => origin === "person");
    throw new Problem("NOT_FOUND", `You have no alias ${JSON.stringify(toLine(name))}.`, {
      hint:
        suggestName(
          name,
          aliases.map((alias) => alias.name),
        ) || "Run `kay alias list`.",
    });
  }
}

/**
 * Fills the placeholders of an alias with arguments, as plain text: arguments are not expanded again. Arguments that no
 * placeholder takes follow the prompt. `\$1` is the text `$1`.
 *
 * @throws Problem USAGE if an argument is missing
 */
export function fillAlias({ name, text }: Pick<Alias, "name" | "text">, values: readonly string[]): string {
  const places = [...text.matchAll(PLACEHOLDER)].flatMap(([, slash, name]) => (slash ? [] : [name ?? ""]));
  const count = Math.max(0, ...places.map(Number).filter(Number.isInteger));
  if (values.length < count)
    throw new Problem("USAGE", `The alias ${name} needs ${count} ${count === 1 ? "argument" : "arguments"}.`, {
      hint: `Its prompt: ${toLine(text).slice(0, 200)}`,
    });
  const all = values.join(" ");
  const result = text.replace(PLACEHOLDER, (match, slash, name) =>
    slash ? match.slice(1) : /\d/.test(name) ? (values[Number(name) - 1] ?? "") : all,
  );
  const takesAll = places.some((name) => !/\d/.test(name));
  const rest = takesAll ? [] : values.slice(count);
  return [result, ...rest].join(" ");
}

/** Whether a prompt has a placeholder. */
export function takesArguments(text: string): boolean {
  return [...text.matchAll(PLACEHOLDER)].some(([, slash]) => !slash);
}

const PLACEHOLDER = /(\\?)\$(@|ARGUMENTS\b|[1-9](?!\d))/g;

/** Syntax of a name. */
const NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** Longest description, in characters. */
const MAX_DESCRIPTION_LENGTH = 80;

function toAlias({ path, text }: Pick<ContextFile, "path" | "text">, origin: Alias["origin"]): Alias {
  const [, head = "", body = text] = /^---\n([\s\S]*?)\n?---(?:\n([\s\S]*))?$/.exec(text) ?? [];
  const [, name = ""] = /^description:[ \t]*(.*)$/m.exec(head) ?? [];
  const first = body.trim().split("\n")[0] ?? "";
  const description = name.trim().replace(/^(["'])(.*)\1$/, "$2") || first.replace(/^#+\s*/, "");
  return {
    name: basename(path, ".md"),
    text: body.trim(),
    description: toLine(description).slice(0, MAX_DESCRIPTION_LENGTH),
    origin,
    path,
  };
}

function getFolder(kay: Kay): string {
  return join(kay.machine().paths.config(), "commands");
}
