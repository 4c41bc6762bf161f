import { Problem } from "#protocol/errors";
import { decideAndDescribe, formatContext, readContext } from "../../commands/context/run.ts";
import { formatProject, readProjectContext } from "../../context/trust.ts";
import type { SlashContext } from "./command.ts";
import { formatRows } from "./command.ts";

/** Handles `/context`, `/context trust` and `/context untrust`. Shows a text before it is trusted. */
export async function runContext(context: SlashContext, argument: string): Promise<void> {
  const { kay, link, say, ask, usage } = context;
  if (argument === "") {
    const report = await readContext(kay, link, usage());
    return say([formatRows(context, ["", ""], formatContext(report)), ...report.notes].join("\n"));
  }
  if (argument !== "trust" && argument !== "untrust")
    throw new Problem("USAGE", "Use /context, /context trust or /context untrust.");
  const project = readProjectContext(kay);
  if (project && argument === "trust") {
    say(formatProject(project.project));
    if (!(await ask("Use this text?"))) return;
  }
  say((await decideAndDescribe(kay, argument === "trust")).sentence);
}
