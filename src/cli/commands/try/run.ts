import type { AskResponse } from "#protocol/ask";
import { clean } from "#protocol/clean";
import type { ConnectionsResponse } from "#protocol/connections";
import { Problem } from "#protocol/errors";
import { settleConfirmations } from "../../ask/settle.ts";
import { showAnswer } from "../../ask/show-answer.ts";
import type { BackendHandle } from "../../backend/handle.ts";
import { EXIT, type ExitCode } from "../../command.ts";
import { connectService } from "../../consent/connection.ts";
import type { Kay } from "../../kay.ts";
import { canPrompt, promptYesNo } from "../../prompt/question.ts";
import { toConnectionRows } from "../connections.ts";

const QUESTION = "what is open in project KAY?";
const CHANGE = "create a task in KAY: Say hello from kay";

/**
 * Runs the tour on a local backend. Without a user at a terminal, gives the consent and the approval itself and says
 * so.
 */
export async function runTour(kay: Kay): Promise<ExitCode> {
  kay.out.writeProgress("This tour runs on this machine, with sandbox services. It touches none of your accounts.");
  const { link, close } = await kay.openTour();
  try {
    return await walk(kay, link);
  } finally {
    await close().catch(() => {});
  }
}

async function walk(kay: Kay, link: BackendHandle): Promise<ExitCode> {
  const connected = await connectStep(kay, link);
  const connections = await showConnections(kay, link);
  const answer = await askStep(kay, link);
  const { answer: confirmed, exit } = await confirmStep(kay, link);
  if (kay.flags.json) {
    kay.out.writeJson({ completed: true, commands: COMMANDS, connected, ...connections, answer, confirmed });
    return exit;
  }
  kay.out.writeLine("");
  kay.out.writeLine("That was:");
  for (const command of COMMANDS) kay.out.writeVerbatim(`  ${command}`);
  kay.out.writeLine("\nNext, run `kay connect` to choose a service, then `kay` to start a session.");
  return exit;
}

const COMMANDS = ["kay connect jira", "kay connections", `kay ask "${QUESTION}"`, `kay ask --confirm "${CHANGE}"`];

function writeTitle(kay: Kay, command: string): void {
  if (!kay.flags.json) kay.out.writeVerbatim(`\n${kay.out.paint("bold", `$ ${command}`)}`);
}

async function connectStep(kay: Kay, link: BackendHandle) {
  writeTitle(kay, COMMANDS[0] ?? "");
  const { message, service, connection } = await connectService(kay, link, "jira", { open: openOrConsent });
  if (!kay.flags.json) kay.out.writeLine(`${kay.out.paint("green", "✓")} ${message}`);
  return { service, ...connection };
}

/** Opens the consent page if a user can see it; otherwise consents as the sandbox's demo user, and says so. */
async function openOrConsent(kay: Kay, url: string): Promise<void> {
  const plan = await kay.planBrowser(url);
  if (kay.terminal.stderr.isTerminal && "launch" in plan && (await kay.openBrowser(plan))) return;
  const reason = "reason" in plan ? plan.reason : "There is no terminal.";
  kay.out.writeProgress(`${reason} Giving the consent as the sandbox's demo user.`);
  await kay.consentInSandbox(url);
}

async function showConnections(kay: Kay, link: BackendHandle): Promise<ConnectionsResponse> {
  writeTitle(kay, COMMANDS[1] ?? "");
  const answer = await link.api.connections({ signal: kay.signal });
  if (!kay.flags.json) await kay.out.writeTable(["SERVICE", "STATE", "ACCOUNT", "SITE"], toConnectionRows(answer));
  return answer;
}

async function askStep(kay: Kay, link: BackendHandle): Promise<AskResponse> {
  writeTitle(kay, COMMANDS[2] ?? "");
  const answer = await link.api.ask({ prompt: QUESTION, interactive: false, confirm: false }, { signal: kay.signal });
  if (!kay.flags.json || answer.status === "error") await showAnswer(kay, answer);
  return answer;
}

async function confirmStep(kay: Kay, link: BackendHandle): Promise<{ answer: AskResponse; exit: ExitCode }> {
  writeTitle(kay, COMMANDS[3] ?? "");
  const request = { prompt: CHANGE, interactive: false, confirm: true };
  const response = await link.api.ask(request, { signal: kay.signal });
  if (response.status !== "confirmation_required" || !response.confirmation_token) {
    throw new Problem("BAD_ANSWER", `Expected a confirmation, but received the status ${response.status}.`);
  }
  kay.out.writeProgress(clean(response.message));
  const approved = canPrompt(kay) ? await promptYesNo(kay, "Continue?") : approveWithoutTerminal(kay);
  const answer = await link.api.confirm(response.confirmation_token, approved, { signal: kay.signal });
  const isShown = !kay.flags.json || answer.status === "error";
  return { answer, exit: isShown ? await settleConfirmations(kay, link, answer) : EXIT.ok };
}

function approveWithoutTerminal(kay: Kay): boolean {
  kay.out.writeProgress("No terminal to prompt on, so the tour approves the change itself.");
  return true;
}
