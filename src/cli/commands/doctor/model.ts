import type { ModelTestResponse } from "#protocol/model";
import type { BackendHandle } from "../../backend/handle.ts";
import { formatModel, toModelProblem } from "../model/run.ts";
import { type Check, fail, ok, skip, warn } from "./check.ts";
import type { CheckContext } from "./context.ts";

/** Time limit for the model, in ms. */
const LIMIT_MS = 8_000;

/** Checks which model answers and where that is set, and asks it one short question. */
export const modelCheck: Check = {
  id: "model",
  title: "Model",
  async look(facts) {
    const reached = await facts.connect();
    const link = reached.embedded ? reached : await facts.signedIn();
    const view = await link.api.model({ signal: facts.signal });
    if (!view) return skip("This backend does not report which model it uses.");
    const { text, warning: ignored } = formatModel(facts.kay, view, link);
    const [which = ""] = text.split("\n");
    if (view.problem) return fail(toModelProblem(view).message, toModelProblem(view).hint);
    const test = await ask(facts, link);
    if (test === null)
      return warn(
        `${which} It did not answer within ${LIMIT_MS / 1000} s.`,
        "Run `kay model --test`, which waits longer.",
      );
    if (!test.tools || test.message === "")
      return fail(
        `${which} It answers, but does not call tools.`,
        "Choose another with `kay config set model <provider>:<model>`.",
      );
    if (ignored) return warn(`${which} ${ignored}`, "Unset KAY_MODEL, or set it where the backend runs.");
    return ok(`${which} It answered in ${(test.total_ms / 1000).toFixed(1)} s, and calls tools.`);
  },
};

/** Result of the question; null after the time limit. */
async function ask({ kay, signal }: CheckContext, link: BackendHandle): Promise<ModelTestResponse | null> {
  const controller = new AbortController();
  const anySignal = AbortSignal.any([signal, controller.signal]);
  const late = kay.clock.sleep(LIMIT_MS, anySignal).then(
    () => null,
    () => null,
  );
  try {
    return await Promise.race([link.api.testModel({ signal: anySignal }), late]);
  } finally {
    controller.abort();
  }
}
