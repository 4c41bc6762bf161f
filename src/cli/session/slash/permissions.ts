import { Problem } from "#protocol/errors";
import type { ModelView } from "#protocol/model";
import { toLine } from "#ui/text/words";
import {
  APPROVAL_COLUMNS,
  confirmAndRevoke,
  formatRevoked,
  NO_APPROVALS_TEXT,
  toApprovalChoices,
  toApprovalRows,
} from "../../commands/approvals/run.ts";
import { fetchModel, formatModel, formatModelTest, toModelProblem } from "../../commands/model/run.ts";
import {
  listPendingRequests,
  NOTHING_PENDING_TEXT,
  PENDING_COLUMNS,
  toPendingRows,
} from "../../commands/pending/list.ts";
import {
  formatPolicy,
  NO_POLICIES_TEXT,
  POLICY_COLUMNS,
  parsePolicy,
  selectPolicies,
  toPolicyRows,
} from "../../commands/policy/run.ts";
import type { SlashContext } from "./command.ts";
import { formatRows } from "./command.ts";

/** Handles `/policy`, `/policy TARGET` and `/policy TARGET MODE`. */
export async function runPolicy(context: SlashContext, argument: string): Promise<void> {
  const { api } = context.link;
  const [target, mode, extra] = argument.split(/\s+/).filter((word) => word !== "" && word !== "set" && word !== "get");
  if (extra !== undefined) throw new Problem("USAGE", "/policy takes a target and a mode: /policy slack ask.");
  if (target !== undefined && mode !== undefined) {
    const change = parsePolicy(target, mode);
    await api.putPolicies(change);
    return context.say(formatPolicy(target, change));
  }
  const rows = toPolicyRows(selectPolicies(await api.policies(), target));
  context.say(rows.length === 0 ? NO_POLICIES_TEXT : formatRows(context, POLICY_COLUMNS, rows));
}

/** Handles `/approvals` and `/approvals revoke ID`. */
export async function runApprovals(context: SlashContext, argument: string): Promise<void> {
  const { api } = context.link;
  const [verb = "list", id] = argument.split(/\s+/).filter(Boolean);
  if (verb === "revoke") {
    const [pick] = id === undefined ? await chooseApproval(context) : [id];
    if (pick === undefined) return;
    return context.say(formatRevoked(await confirmAndRevoke(api, pick, context.ask)));
  }
  if (verb !== "list") throw new Problem("USAGE", "Use /approvals or /approvals revoke ID.");
  const all = await api.approvals();
  context.say(all.length === 0 ? NO_APPROVALS_TEXT : formatRows(context, APPROVAL_COLUMNS, toApprovalRows(all)));
}

async function chooseApproval({ link, say, pick }: SlashContext): Promise<string[]> {
  if (!pick) throw new Problem("USAGE", "Specify an approval: /approvals revoke ID.");
  const all = await link.api.approvals();
  if (all.length > 0) return (await pick("Which approval do you want to revoke?", toApprovalChoices(all))) ?? [];
  say(NO_APPROVALS_TEXT);
  return [];
}

/** Handles `/plan`, `/plan on` and `/plan off`. */
export async function runPlan({ kay, say, setPlan }: SlashContext, argument: string): Promise<void> {
  if (!["", "on", "off"].includes(argument)) throw new Problem("USAGE", "Use /plan, /plan on or /plan off.");
  const enabled = argument === "" ? !kay.choices.plan : argument === "on";
  setPlan(enabled);
  say(enabled ? PLAN_ON : "Plan mode is off. Your policies decide what needs approval.");
}

const PLAN_ON = "Plan mode is on. kay reads, and shows every change before it makes any. /plan turns it off.";

const HOW_TO_ANSWER = "/sessions opens a conversation with its cards. `kay answer <id>` answers from another terminal.";

/** Handles `/pending`. */
export async function runPending(context: SlashContext): Promise<void> {
  const all = await listPendingRequests(context.link);
  const rows = toPendingRows(context.kay, all);
  if (rows.length === 0) return context.say(NOTHING_PENDING_TEXT);
  context.say(`${formatRows(context, PENDING_COLUMNS, rows)}\n\n${HOW_TO_ANSWER}`);
}

/**
 * Handles `/model`, `/model NAME` and `/model test`. The name applies until this session ends; `/model default` undoes
 * it.
 */
export async function runModel({ kay, link, say, pick }: SlashContext, argument: string): Promise<void> {
  if (argument === "test") return say(formatModelTest(await link.api.testModel({ signal: kay.signal })));
  const model = await fetchModel(kay, link);
  if (argument !== "") return say(await chooseModel({ kay, link }, argument, model));
  const { text, warning } =
    kay.choices.model === undefined
      ? formatModel(kay, model, link)
      : { text: `${toLine(kay.choices.model)}: chosen with /model for this session.` };
  say(warning === undefined ? text : `${text}\n${warning}`);
  if (pick) await pickModel({ kay, link, say, pick }, model);
  else if (model.problem) throw toModelProblem(model);
}

/** Lets the user choose among the available models. */
async function pickModel(context: Required<Pick<SlashContext, "kay" | "link" | "say" | "pick">>, current: ModelView) {
  const ready = current.available.filter(({ ready }) => ready);
  const choices = ready.flatMap(({ name, title, models }) =>
    [...new Set([...models, ...(models.length === 0 ? [name] : [])])].map((model) => ({
      value: model,
      label: model,
      note: [title, model === current.name ? "the default" : ""].filter(Boolean).join(" · "),
    })),
  );
  const [pick] = (await context.pick("Which model for this session?", choices)) ?? [];
  if (pick === undefined) return;
  context.say(await chooseModel(context, pick === current.name ? "default" : pick, current));
}

/** Chooses the model for further requests. Only the next request checks a name that is not listed. */
async function chooseModel(
  { kay, link }: Pick<SlashContext, "kay" | "link">,
  name: string,
  { name: usual, available }: ModelView,
): Promise<string> {
  if (/\s/.test(name)) throw new Problem("USAGE", "A model name cannot contain spaces.", { hint: USAGE });
  if (name === "default") {
    kay.choices.model = undefined;
    return `The next requests go to ${toLine(usual)}.`;
  }
  const [provider = ""] = name.split(":");
  if (!available.some((service) => service.name === provider)) {
    const providers = available.map((service) => toLine(service.name)).join(", ");
    throw new Problem("USAGE", `Unknown model provider ${JSON.stringify(provider.slice(0, 60))}.`, {
      hint: `Use one of ${providers}, as in /model openai:gpt-6-astra.`,
    });
  }
  const features = (await link.api.capabilities())?.features ?? [];
  if (!features.includes("ask_model"))
    throw new Problem("NOT_FOUND", "This backend does not let a session choose its model.", {
      hint: "Choose it with `kay config set model`, where the backend runs.",
    });
  kay.choices.model = name;
  return `The next requests of this session go to ${toLine(name)}. Use /model default to undo this.`;
}

const USAGE = "Use /model, /model NAME or /model test.";
