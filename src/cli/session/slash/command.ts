import type { Usage } from "#protocol/ask";
import type { InputField } from "#protocol/interactions";
import type { Choice } from "#ui/picker/picker";
import { layOutTable } from "#ui/text/table";
import type { BackendHandle } from "../../backend/handle.ts";
import type { Kay } from "../../kay.ts";
import type { SessionClient } from "../session-options.ts";

/** Ports of a slash command, in both kinds of session. */
export type SlashContext = {
  kay: Kay;
  link: BackendHandle;
  /** Returns the ID of the conversation, if it has begun. */
  session(): string | undefined;
  /** Shows finished text of one or several lines, formatted for `width`. */
  say(text: string): void;
  /** Asks for confirmation before something that cannot be undone. */
  ask(question: string): Promise<boolean>;
  /** Lets the user choose from a list, where lists can be drawn; null if they choose nothing. */
  pick?(question: string, choices: readonly Choice[], multiple?: boolean): Promise<string[] | null>;
  /** Lets the user fill in a form; null if they leave it. */
  fill(form: LocalForm): Promise<Record<string, unknown> | null>;
  /** Sends a prompt with data that others wrote. @throws Problem when it is not accepted, or a request is running */
  send(prompt: string, context: Record<string, unknown>): Promise<void>;
  /**
   * Connects these services: shows the links and waits. `site` names one, or gives its URL, if an account has several.
   */
  connect(services: string[], site?: string): Promise<void>;
  /** This terminal's client. */
  client: SessionClient;
  /** Sets whether requests of the conversation are answered here or only shown. */
  setInteractive(enabled: boolean): Promise<void>;
  /** Returns the tokens of the newest answer, if the backend reported them. */
  usage(): Usage | undefined;
  /** Turns plan mode on or off for the requests to come. */
  setPlan(enabled: boolean): void;
  /** Returns the last answer as Markdown; "" before the first. */
  lastAnswer(): string;
  /** Writes an invisible sequence. */
  write(sequence: string): void;
  /** Switches to another conversation. */
  resume(sessionId: string): Promise<void>;
  /** Starts a new conversation. */
  clear(): void;
  quit(): void;
  /** Leaves and lets running work continue. Resolves to whether there is any. */
  detach(): Promise<boolean>;
  /** Returns the width of a line, in cells. */
  width(): number;
};

/** A form of a slash command: its purpose in a sentence, and its fields with their values. */
export type LocalForm = { title: string; prompt: string; fields: InputField[]; values: Record<string, unknown> };

/** Data that a session shows and completes: the model's name, connections, names, aliases, and what MCP servers list. */
export type SessionLookup = "model" | "connections" | "sessions" | "tools" | "aliases" | "prompts" | "resources";

/** A slash command: its name without the slash, its usage and description for `/help`, and its action. */
export type SlashCommand = {
  name: string;
  args: string;
  does: string;
  /** Data that a command changed, so that the session reloads it. */
  changes?: SessionLookup[];
  /** Runs the command. @throws Problem which the session shows */
  run(context: SlashContext, argument: string): Promise<void>;
};

/** Formats rows as text for the session's width; for screen readers, each row is a block that names its columns. */
export function formatRows({ kay, width }: SlashContext, columns: string[], rows: string[][]): string {
  const { header, lines } = layOutTable(columns, rows, kay.flags.plain ? 0 : width());
  return (header === null ? lines : [kay.out.paint("dim", header), ...lines]).join("\n");
}
