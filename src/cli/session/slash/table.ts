import { wrapCells } from "#ui/screen/cells";
import { type Alias, listAliases } from "../../context/aliases.ts";
import type { SlashCommand } from "./command.ts";

/** Every slash command, in the order of `/help`. Its action is loaded when it is called. */
export const SLASH_COMMANDS: SlashCommand[] = [
  {
    name: "help",
    args: "",
    does: "Show this help",
    run: async ({ kay, say, width }) => {
      const aliases = formatAliasHelp(await listAliases(kay), width());
      say([formatSlashHelp(width()), ...(aliases ? [aliases] : [])].join("\n\n"));
    },
  },
  {
    name: "connect",
    args: "[SERVICE…] [--site NAME]",
    does: "Connect services, each through its consent page",
    changes: ["connections", "tools"],
    run: async (context, argument) => (await import("./services.ts")).runConnect(context, argument),
  },
  {
    name: "disconnect",
    args: "[SERVICE…]",
    does: "Disconnect services",
    changes: ["connections", "tools"],
    run: async (context, argument) => (await import("./services.ts")).runDisconnect(context, argument),
  },
  {
    name: "connections",
    args: "",
    does: "Show every service and its account",
    changes: ["connections"],
    run: async (context) => (await import("./services.ts")).runConnections(context),
  },
  {
    name: "tools",
    args: "[SERVICE]",
    does: "List tools",
    run: async (context, argument) => (await import("./services.ts")).runTools(context, argument),
  },
  {
    name: "prompts",
    args: "[SERVICE]",
    does: "List the prompts of MCP servers; run one as /SERVICE:PROMPT",
    run: async (context, argument) => (await import("./prompts.ts")).runPrompts(context, argument),
  },
  {
    name: "policy",
    args: "[TARGET [MODE]]",
    does: "Show or set what runs without asking: ask, reads, everything, unset",
    run: async (context, argument) => (await import("./permissions.ts")).runPolicy(context, argument),
  },
  {
    name: "approvals",
    args: "[revoke ID]",
    does: "List saved approvals or revoke one",
    run: async (context, argument) => (await import("./permissions.ts")).runApprovals(context, argument),
  },
  {
    name: "pending",
    args: "",
    does: "List open requests in all conversations",
    run: async (context) => (await import("./permissions.ts")).runPending(context),
  },
  {
    name: "log",
    args: "[SERVICE]",
    does: "List what kay changed, in all conversations",
    run: async (context, argument) => (await import("./answers.ts")).runLog(context, argument),
  },
  {
    name: "open",
    args: "OBJECT",
    does: "Open an issue (KAY-1), a pull request or the latest change in the browser",
    run: async (context, argument) => (await import("./answers.ts")).runOpen(context, argument),
  },
  {
    name: "who",
    args: "",
    does: "Show who follows this conversation, and who may answer",
    run: async (context) => (await import("./presence.ts")).runWho(context),
  },
  {
    name: "interactive",
    args: "[on|off]",
    does: "Answer requests in this terminal, or just watch",
    run: async (context, argument) => (await import("./presence.ts")).runInteractive(context, argument),
  },
  {
    name: "plan",
    args: "[on|off]",
    does: "Turn plan mode on or off: kay reads, and shows every change before it makes any",
    run: async (context, argument) => (await import("./permissions.ts")).runPlan(context, argument),
  },
  {
    name: "model",
    args: "[NAME|test]",
    does: "Show which model answers and what it used, choose another, or test it",
    changes: ["model"],
    run: async (context, argument) => (await import("./permissions.ts")).runModel(context, argument),
  },
  {
    name: "context",
    args: "[trust|untrust]",
    does: "Show what the model gets before your question, or use this project's KAY.md and aliases",
    changes: ["aliases"],
    run: async (context, argument) => (await import("./context.ts")).runContext(context, argument),
  },
  {
    name: "sessions",
    args: "[NUMBER|ID|TITLE]",
    does: "List conversations or switch to one",
    changes: ["sessions"],
    run: async (context, argument) => (await import("./conversations.ts")).runSessions(context, argument),
  },
  {
    name: "rename",
    args: "TITLE",
    does: "Rename this conversation",
    changes: ["sessions"],
    run: async (context, argument) => (await import("./conversations.ts")).runRename(context, argument),
  },
  {
    name: "copy",
    args: "",
    does: "Copy the last answer",
    run: async (context) => (await import("./answers.ts")).runCopy(context),
  },
  {
    name: "export",
    args: "[md|json] [FILE]",
    does: "Export this conversation, with secrets removed",
    run: async (context, argument) => (await import("./conversations.ts")).runExport(context, argument),
  },
  {
    name: "clear",
    args: "",
    does: "Start a new conversation",
    changes: ["sessions"],
    run: async ({ clear, say }) => {
      clear();
      say("Started a new conversation.");
    },
  },
  {
    name: "detach",
    args: "",
    does: "Leave, and keep the request running",
    run: async (context) => (await import("./conversations.ts")).runDetach(context),
  },
  { name: "quit", args: "", does: "Leave", run: async ({ quit }) => quit() },
];

/** Below this width in cells, the description of a command gets separate lines. */
const LEAST_COLUMN = 28;

/** Formats the help of all slash commands. */
export function formatSlashHelp(width: number): string {
  const rows = SLASH_COMMANDS.map(({ name, args, does }): [string, string] => [`/${name} ${args}`.trimEnd(), does]);
  return ["Commands:", formatCommands(rows, width), "To send text that starts with a slash, type two: //etc"].join(
    "\n",
  );
}

/** Formats the help of the aliases; "" without any. */
export function formatAliasHelp(aliases: readonly Alias[], width: number): string {
  const rows = aliases.map(({ name, description }): [string, string] => [`/${name}`, description]);
  return rows.length === 0 ? "" : `Aliases:\n${formatCommands(rows, width)}`;
}

/** Formats each usage beside its description, or above it in a narrow window. */
function formatCommands(rows: [usage: string, does: string][], width: number): string {
  const widest = Math.max(...rows.map(([usage]) => usage.length));
  const room = width - widest - 4;
  const [between, indent] = room < LEAST_COLUMN ? ["\n    ", 4] : ["  ", widest + 4];
  const lines = rows.map(([usage, does]) => {
    const text = wrapCells(does, Math.max(width - indent, 8)).join(`\n${" ".repeat(indent)}`);
    return `  ${indent === 4 ? usage : usage.padEnd(widest)}${between}${text}`;
  });
  return lines.join("\n");
}
