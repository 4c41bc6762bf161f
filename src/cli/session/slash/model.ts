import { Problem } from "#protocol/errors";
import { modelOf, modelTestText, modelText, problemOf } from "../../model.ts";
import type { SlashContext } from "./command.ts";

/** `/model`, `/model test`. */
export async function model({ kay, link, say }: SlashContext, argument: string): Promise<void> {
  if (argument === "test") return say(modelTestText(await link.api.testModel({ signal: kay.signal })));
  if (argument !== "")
    throw new Problem("USAGE", "It is /model, or /model test.", {
      hint: "Another model is chosen with `kay config set model`.",
    });
  const found = await modelOf(kay, link);
  const { text, warning } = modelText(kay, found, link);
  say(warning === undefined ? text : `${text}\n${warning}`);
  if (found.problem) throw problemOf(found);
}
