import { Problem } from "#protocol/errors";
import { fetchModel, formatModel, formatModelTest, toModelProblem } from "../../commands/model/run.ts";
import type { SlashContext } from "./command.ts";

/** `/model`, `/model test`. */
export async function runModel({ kay, link, say }: SlashContext, argument: string): Promise<void> {
  if (argument === "test") return say(formatModelTest(await link.api.testModel({ signal: kay.signal })));
  if (argument !== "")
    throw new Problem("USAGE", "It is /model, or /model test.", {
      hint: "Another model is chosen with `kay config set model`.",
    });
  const found = await fetchModel(kay, link);
  const { text, warning } = formatModel(kay, found, link);
  say(warning === undefined ? text : `${text}\n${warning}`);
  if (found.problem) throw toModelProblem(found);
}
