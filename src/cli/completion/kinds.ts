import type { Slot, ValueKind } from "./table.ts";

/**
 * Kinds of values by their name in usage lines, such as `<service>`. Names are the same in all commands, so a new
 * command needs no entry here. A test fails for a name that is neither here nor in {@link FREE_TEXT_SLOT}.
 */
const KINDS: Record<string, ValueKind> = {
  service: "services",
  conversation: "sessions",
  schedule: "schedules",
  tool: "tools",
  target: "targets",
  key: "settings",
  profile: "profiles",
  file: "files",
  folder: "folders",
};

const CHOICES: Record<string, string[]> = {
  scope: ["once", "session", "always"],
  format: ["md", "json"],
  mode: ["ask", "reads", "everything", "unset"],
};

/** Names that mean something else with one command or option. */
const OWN: Record<string, ValueKind> = {
  "help name": "names",
  "connect service": "connectable",
  "answer id": "pending",
  "approvals revoke id": "approvals",
  "config set value": "setting-value",
  "alias remove name": "aliases",
  "--profile name": "profiles",
  "--allow tool[:place]": "tools",
};

/** Names whose values cannot be completed. */
export const FREE_TEXT_SLOT = [
  [
    "address",
    "code",
    "columns",
    "count",
    "duration",
    "expr",
    "header",
    "id",
    "input",
    "jq",
    "json",
    "key=value",
    "list",
    "name",
    "number",
    "object",
    "program",
    "prompt",
  ],
  ["reason", "seconds", "state", "text", "time", "title", "token", "url", "value", "when", "zone"],
].flat();

/**
 * Returns the kind of value of an argument or option.
 *
 * @param where words of the command, or the long name of the option
 * @param name as in the usage, without brackets
 */
export function findSlot(where: string, name: string, choices?: readonly string[]): Slot {
  if (choices) return { choices: [...choices] };
  const own = OWN[`${where} ${name}`];
  if (own) return { kind: own };
  const listed = Object.hasOwn(CHOICES, name) ? CHOICES[name] : undefined;
  if (listed) return { choices: listed };
  return Object.hasOwn(KINDS, name) ? { kind: KINDS[name] } : {};
}
