import { toLine } from "#ui/text/words";
import { openIfSignedIn } from "../../backend/known-services.ts";
import { decideTrust, describeText } from "../../context/trust.ts";
import type { Kay } from "../../kay.ts";
import { formatContext, readContext, toContextDocument } from "./report.ts";

/** Runs `kay context`. Without a sign-in, nothing is connected yet. */
export async function showContext(kay: Kay): Promise<void> {
  const report = await readContext(kay, await openIfSignedIn(kay, true));
  for (const note of report.notes) kay.out.warn(note);
  if (kay.flags.json) return kay.out.writeJson(toContextDocument(report));
  await kay.out.writeTable(["", ""], formatContext(report));
}

/** Runs `kay context trust` and `kay context untrust`. */
export async function changeTrust(kay: Kay, use: boolean): Promise<void> {
  const { folder, sentence } = await decideAndDescribe(kay, use);
  if (kay.flags.json) return kay.out.writeJson({ folder, trusted: use });
  kay.out.writeProgress(sentence);
}

/** Stores the decision about the current project and reports it in a sentence. */
export async function decideAndDescribe(kay: Kay, use: boolean): Promise<{ folder: string; sentence: string }> {
  const project = await decideTrust(kay, use);
  const what = `${describeText(project)} of ${toLine(project.folder)}`;
  const sentence = use
    ? `kay now uses ${what.replace(/^The/, "the")}. If the text changes, kay asks again.`
    : `kay does not use ${what.replace(/^The/, "the")}.`;
  return { folder: project.folder, sentence };
}
