import { type ErrorCode, isErrorCode, Problem } from "#protocol/errors";
import type { ModelTestResponse, ModelView } from "#protocol/model";
import { toLine } from "#ui/text/words";
import type { BackendHandle } from "../../backend/handle.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import type { Kay } from "../../kay.ts";

/** `kay model`: which model answers, and why. One that is named but cannot answer is an error. */
export async function showModel(kay: Kay): Promise<ExitCode> {
  const link = await kay.openBackend();
  const model = await fetchModel(kay, link);
  if (kay.flags.json) {
    kay.out.writeJson(model);
    return model.problem ? toModelProblem(model).exit : EXIT.ok;
  }
  const { text, warning } = formatModel(kay, model, link);
  kay.out.writeLine(text);
  if (warning) kay.out.warn(warning);
  if (model.problem) throw toModelProblem(model);
  return EXIT.ok;
}

/** Which model answers, and why; `warning` names what is set here but chooses nothing. */
export function formatModel(kay: Kay, model: ModelView, link: BackendHandle): { text: string; warning?: string } {
  const room = model.context_window;
  const lines = [
    `${toLine(model.label)}: ${why(kay, model, link)}`,
    ...(room ? [`It takes ${room.toLocaleString("en")} tokens at once.`] : []),
  ];
  const warning = "KAY_MODEL is set here, but the model is chosen where the backend runs.";
  return { text: lines.join("\n"), ...(isIgnored(kay, model, link) ? { warning } : {}) };
}

/** `kay model list`: every provider, whether it could answer, and its models. */
export async function listModels(kay: Kay): Promise<void> {
  const model = await fetchModel(kay, await kay.openBackend());
  if (kay.flags.json) return kay.out.writeJson({ name: model.name, available: model.available });
  const rows = model.available.map(({ name, title, ready, note, models }) => [
    toLine(name),
    toLine(title),
    models.includes(model.name) ? "answers" : ready ? "ready" : "not ready",
    toLine(models.map((each) => each.replace(`${name}:`, "")).join(", ")),
    toLine(note),
  ]);
  await kay.out.writeTable(["PROVIDER", "NAME", "STATE", "MODELS", "NEEDS"], rows);
  kay.out.writeProgress("Choose one with `kay config set model <provider>:<model>`.");
}

/** `kay model --test`: one question to the model, and how it went. */
export async function testModel(kay: Kay): Promise<ExitCode> {
  const link = await kay.openBackend();
  const test = await link.api.testModel({ signal: kay.signal });
  if (kay.flags.json) kay.out.writeJson(test);
  else kay.out.writeLine(formatModelTest(test));
  return works(test) ? EXIT.ok : EXIT.failed;
}

/** How the test went. */
export function formatModelTest(test: ModelTestResponse): string {
  const head = `${toLine(test.label)} ${works(test) ? "works" : "does not work with kay"}.`;
  return [head, ...findings(test).map((told) => `  ${told}`)].join("\n");
}

function works({ tools, message }: ModelTestResponse): boolean {
  return tools && message !== "";
}

function findings(test: ModelTestResponse): string[] {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return [
    `First sign after ${seconds(test.first_ms)}, the whole answer after ${seconds(test.total_ms)}.`,
    test.tools ? "It calls tools." : "It did not call the tool that it was given: it cannot work on services.",
    test.streaming ? "Its answer comes piece by piece." : "Its answer came in one piece.",
    test.message ? `It said: ${toLine(test.message)}` : "It said nothing.",
  ];
}

/** The model that answers. @throws Problem NOT_FOUND where the backend does not say */
export async function fetchModel(kay: Kay, link: BackendHandle): Promise<ModelView> {
  const model = await link.api.model({ signal: kay.signal });
  if (model) return model;
  throw new Problem("NOT_FOUND", "This backend does not say which model answers.", { hint: "" });
}

/** The environment of kay's own backend is that of the kay that started it: this one's, unless it was at work when this one came. */
function why(kay: Kay, { why: sentence, source, where = "" }: ModelView, link: BackendHandle): string {
  if (!link.embedded || source !== "environment") return toLine(sentence);
  return kay.env[where]?.trim()
    ? toLine(`${where} is set in the environment.`)
    : toLine(`${where} is set in the environment that kay's own backend was started with.`);
}

/** What is set here, but chooses nothing where the model runs. */
function isIgnored(kay: Kay, model: ModelView, link: BackendHandle): boolean {
  const here = kay.env.KAY_MODEL?.trim();
  return !link.embedded && here !== undefined && here !== "" && here !== model.name;
}

/** Why it cannot answer. */
export function toModelProblem({ problem }: ModelView): Problem {
  const code: ErrorCode = problem && isErrorCode(problem.code) ? problem.code : "MODEL_NOT_CONFIGURED";
  return new Problem(
    code,
    toLine(problem?.message ?? "The model cannot answer."),
    problem?.hint === undefined ? {} : { hint: toLine(problem.hint) },
  );
}
