import { type ErrorCode, isErrorCode, Problem } from "#protocol/errors";
import type { ModelTestResponse, ModelView } from "#protocol/model";
import { toLine } from "#ui/text/words";
import type { BackendHandle } from "../../backend/handle.ts";
import { EXIT, type ExitCode } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Runs `kay model`. Fails when the configured model cannot answer. */
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

/** Formats the model in use and why; `warning` names a local setting that has no effect. */
export function formatModel(kay: Kay, model: ModelView, link: BackendHandle): { text: string; warning?: string } {
  const room = model.context_window;
  const lines = [
    `${toLine(model.label)}: ${explainChoice(kay, model, link)}`,
    ...(room ? [`Context window: ${room.toLocaleString("en")} tokens.`] : []),
  ];
  const warning = "KAY_MODEL is set here, but the model is configured where the backend runs.";
  return { text: lines.join("\n"), ...(isIgnored(kay, model, link) ? { warning } : {}) };
}

/** Runs `kay model list`: lists every provider, whether it is ready, and its models. */
export async function listModels(kay: Kay): Promise<void> {
  const model = await fetchModel(kay, await kay.openBackend());
  if (kay.flags.json) return kay.out.writeJson({ name: model.name, available: model.available });
  const rows = model.available.map(({ name, title, ready, note, models }) => [
    toLine(name),
    toLine(title),
    models.includes(model.name) ? "answers" : ready ? "ready" : "not ready",
    toLine(models.map((model) => model.replace(`${name}:`, "")).join(", ")),
    toLine(note),
  ]);
  await kay.out.writeTable(["PROVIDER", "NAME", "STATE", "MODELS", "NEEDS"], rows);
  kay.out.writeProgress("Choose one with `kay config set model <provider>:<model>`.");
}

/** Runs `kay model --test`: sends one question to the model and reports the result. */
export async function testModel(kay: Kay): Promise<ExitCode> {
  const link = await kay.openBackend();
  const test = await link.api.testModel({ signal: kay.signal });
  if (kay.flags.json) kay.out.writeJson(test);
  else kay.out.writeLine(formatModelTest(test));
  return works(test) ? EXIT.ok : EXIT.failed;
}

export function formatModelTest(test: ModelTestResponse): string {
  const head = `${toLine(test.label)} ${works(test) ? "works" : "does not work with kay"}.`;
  return [head, ...listFindings(test).map((finding) => `  ${finding}`)].join("\n");
}

function works({ tools, message }: ModelTestResponse): boolean {
  return tools && message !== "";
}

function listFindings(test: ModelTestResponse): string[] {
  const formatSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return [
    `First token after ${formatSeconds(test.first_ms)}, full answer after ${formatSeconds(test.total_ms)}.`,
    test.tools ? "Tool calls: yes." : "Tool calls: no. kay needs a model that can call tools.",
    test.streaming ? "Streaming: yes." : "Streaming: no.",
    test.message ? `Answer: ${toLine(test.message)}` : "The answer was empty.",
  ];
}

/** Fetches the model in use. @throws Problem NOT_FOUND when the backend does not report it */
export async function fetchModel(kay: Kay, link: BackendHandle): Promise<ModelView> {
  const model = await link.api.model({ signal: kay.signal });
  if (model) return model;
  throw new Problem("NOT_FOUND", "This backend does not report which model it uses.", { hint: "" });
}

/** The local backend has the environment of the command that started it, which may differ from this one. */
function explainChoice(kay: Kay, { why: sentence, source, where = "" }: ModelView, link: BackendHandle): string {
  if (!link.embedded || source !== "environment") return toLine(sentence);
  return kay.env[where]?.trim()
    ? toLine(`${where} is set in the environment.`)
    : toLine(`${where} is set in the environment in which the local backend was started.`);
}

/** Returns whether KAY_MODEL is set here but has no effect on the backend. */
function isIgnored(kay: Kay, model: ModelView, link: BackendHandle): boolean {
  const here = kay.env.KAY_MODEL?.trim();
  return !link.embedded && here !== undefined && here !== "" && here !== model.name;
}

/** Converts the reason why the model cannot answer to an error. */
export function toModelProblem({ problem }: ModelView): Problem {
  const code: ErrorCode = problem && isErrorCode(problem.code) ? problem.code : "MODEL_NOT_CONFIGURED";
  return new Problem(
    code,
    toLine(problem?.message ?? "The model cannot answer."),
    problem?.hint === undefined ? {} : { hint: toLine(problem.hint) },
  );
}
