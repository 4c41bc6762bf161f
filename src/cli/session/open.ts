import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { BackendHandle } from "../backend/handle.ts";
import type { ExitCode } from "../command.ts";
import type { Kay } from "../kay.ts";
import { canPrompt } from "../prompt/question.ts";
import type { ClientOptions, SessionClient, SessionOptions } from "./session-options.ts";

/** Whether a session is possible: input and output are terminals. */
export function canHaveSession(kay: Kay): boolean {
  return canPrompt(kay) && kay.terminal.stdout.isTerminal && !kay.flags.json;
}

/**
 * Announces the session before slow modules load, then loads what draws it while the backend is located. Prints nothing
 * if no session is possible; a line session announces itself.
 */
export function showGreeting(kay: Kay): void {
  if (!canHaveSession(kay) || kay.flags.plain) return;
  if (!kay.greetingShown) kay.out.writeLine(kay.out.paint("dim", `kay ${kay.version} · /help`));
  // An error surfaces where the promise is awaited.
  import("./ink.ts").catch(() => {});
}

/** Opens the session that fits the terminal and runs it until the user leaves. */
export async function openSession(
  kay: Kay,
  link: BackendHandle,
  options: ClientOptions & { resume?: string; command: string },
): Promise<ExitCode> {
  if (!canHaveSession(kay)) throw new Problem("INPUT_REQUIRED", "A session needs a terminal.");
  const { askForTrust } = await import("../context/trust.ts");
  await askForTrust(kay);
  const { resume, command } = options;
  const session: SessionOptions = {
    ...(resume === undefined ? {} : { resume }),
    client: createClient(kay, command, options),
  };
  if (kay.flags.plain) return (await import("./plain.ts")).runPlainSession(kay, link, session);
  return (await import("./ink.ts")).runInkSession(kay, link, session);
}

/** Returns the name of this client: the user's choice, otherwise its command, with its location if known. */
export function createClient(kay: Kay, command: string, { name, readOnly = false }: ClientOptions = {}): SessionClient {
  let id: string | undefined;
  // Created on first use, because Node's crypto takes 8 ms to load and the first frame needs no ID.
  const makeId = () => (id ??= Buffer.from(kay.random(8)).toString("hex"));
  const { place } = kay.terminal;
  return {
    get id() {
      return `client_${makeId()}`;
    },
    name: cleanLine(name ?? "", LONGEST_NAME) || `${command} ${place ? `on ${place}` : makeId().slice(0, 4)}`,
    interaction: { supported: true, enabled: !readOnly },
  };
}

/** Maximum length of a name, in characters. */
const LONGEST_NAME = 60;
