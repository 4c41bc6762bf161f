import { Problem } from "#protocol/errors";
import type { Kay, Link } from "../kay.ts";
import { isAskable } from "../prompt.ts";

/** How a session begins: in which conversation, and who it is to others: one name, and an id for each connection. */
export type SessionOptions = { resume?: string; client(): { id: string; name: string } };

/** Whether a person sits at both ends of this run, so that a session can be had. */
export function canHaveSession(kay: Kay): boolean {
  return isAskable(kay) && kay.terminal.stdout.isTerminal && !kay.flags.json;
}

/**
 * Say that a session begins, before anything that costs time is loaded; then load what draws it, while the backend is looked for. Nothing is
 * said where there can be no session, and one by lines says so itself.
 */
export function greet(kay: Kay): void {
  if (!canHaveSession(kay) || kay.flags.plain) return;
  if (!kay.greeted) kay.out.line(kay.out.paint("dim", `kay ${kay.version} · /help shows the commands`));
  // A fault comes to light where it is awaited.
  import("./ink.ts").catch(() => {});
}

/** Open the session that fits the terminal, and stay in it until the person leaves. */
export async function openSession(kay: Kay, link: Link, options: { resume?: string; command: string }): Promise<void> {
  if (!canHaveSession(kay)) throw new Problem("INPUT_REQUIRED", "A session needs a terminal.");
  const { resume, command } = options;
  const session: SessionOptions = { ...(resume === undefined ? {} : { resume }), client: clientsOf(kay, command) };
  if (kay.flags.plain) return (await import("./plain.ts")).plainSession(kay, link, session);
  await (await import("./ink.ts")).inkSession(kay, link, session);
}

function clientsOf(kay: Kay, command: string): SessionOptions["client"] {
  const { id, name } = clientOf(kay, command);
  let connections = 0;
  return () => {
    connections += 1;
    return { id: `${id}_${connections}`, name };
  };
}

/** This process among those that follow a conversation. */
export function clientOf(kay: Kay, command: string): { id: string; name: string } {
  const id = Buffer.from(kay.random(8)).toString("hex");
  return { id: `client_${id}`, name: `${command} ${id.slice(0, 4)}` };
}
