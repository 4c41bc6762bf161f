import type { Slot, ValueKind } from "./table.ts";

/**
 * What belongs where a command's usage says `<service>`: the names of arguments and of options' values are the same everywhere, so a new
 * command is completed without a word here. A name that is neither here nor in {@link FREE} fails a test.
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

/** What only a person can think of. */
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
 * What belongs into a slot.
 *
 * @param where words of the command, or the long name of the option
 * @param name as the usage shows it, without brackets
 */
export function findSlot(where: string, name: string, choices?: readonly string[]): Slot {
  if (choices) return { choices: [...choices] };
  const own = OWN[`${where} ${name}`];
  if (own) return { kind: own };
  const listed = Object.hasOwn(CHOICES, name) ? CHOICES[name] : undefined;
  if (listed) return { choices: listed };
  return Object.hasOwn(KINDS, name) ? { kind: KINDS[name] } : {};
}
