import { expect, test } from "vitest";
import { listCompletions, offer } from "#test/completion";

const COMMON = [
  "--profile",
  "--json",
  "--jq",
  "--no-input",
  "--no-browser",
  "--timeout",
  "--yes",
  "--quiet",
  "--debug",
  "--color",
];

test.for<[line: string, values: string[]]>([
  ["kay conn", ["connect", "connections"]],
  ["kay sta", ["status"]],
  ["kay sessions re", ["rename"]],
  ["kay config ", ["list", "get", "set", "unset", "path"]],
  ["kay --debug conf", ["confirm", "config"]],
  ["kay --profile work wh", ["whoami"]],
  ["kay frobnicate ", []],
])("%s: commands, aliases and subcommands", ([line, values]) => {
  expect(listCompletions(line)).toEqual(values);
});

test.for<[line: string, values: string[]]>([
  ["kay confirm TOKEN --", ["--approve", "--deny", "--help", ...COMMON]],
  ["kay confirm TOKEN --deny --a", ["--approve"]],
  ["kay confirm TOKEN --deny --d", ["--debug"]],
  ["kay ask -c --cont", []],
  ["kay whoami -q --qu", []],
  ["kay answer int_1 --field a=b --fi", ["--field"]],
  ["kay confirm TOKEN ", ["--approve", "--deny"]],
  ["kay ask -- --c", []],
])("%s: options, including global ones, and no used ones unless they repeat", ([line, values]) => {
  expect(listCompletions(line)).toEqual(values);
});

test.for<[line: string, values: string[]]>([
  ["kay --color ", ["auto", "always", "never"]],
  ["kay ask --color=a", ["--color=auto", "--color=always"]],
  ["kay answer int_1 --scope ", ["once", "session", "always"]],
  ["kay policy set slack ", ["ask", "reads", "everything", "unset"]],
  ["kay policy get sla", ["slack", "slack.send_message"]],
  ["kay completion ", ["bash", "zsh", "fish", "powershell"]],
  ["kay --profile w", ["work"]],
  ["kay config set cred", ["credentials"]],
  ["kay config set credentials ", ["auto", "keychain", "file"]],
  ["kay config set allow-insecure ", ["true", "false"]],
  ["kay config set api-url ", []],
  ["kay help ex", ["exit-codes"]],
  ["kay help attach", ["attach"]],
])("%s: what an option or argument accepts", ([line, values]) => {
  expect(listCompletions(line)).toEqual(values);
});

test.for<[line: string, values: string[]]>([
  ["kay connect ", ["jira", "slack", "gmail", "linear"]],
  ["kay connect jira ", ["slack", "gmail", "linear"]],
  ["kay connect li", ["linear"]],
  ["kay disconnect s", ["slack"]],
  ["kay connections --check g", ["gmail"]],
  ["kay tools list --service=j", ["--service=jira"]],
  ["kay tools show j", ["jira.search"]],
  ["kay approvals test s", ["slack.send_message"]],
])("%s: services and tools, before a backend has reported any", ([line, values]) => {
  expect(listCompletions(line)).toEqual(values);
});

const cached = {
  services: [
    ["jira", ""],
    ["tasks", "Tasks"],
  ] as [string, string][],
  sessions: [
    ["session_2", "Login loops"],
    ["session_1", ""],
  ] as [string, string][],
  pending: [["int_1", "an approval"]] as [string, string][],
  approvals: [["grant_1", "slack.send_message to #general"]] as [string, string][],
  models: [
    ["openai:gpt-6-astra", "OpenAI"],
    ["offline", ""],
  ] as [string, string][],
};

test.for<[line: string, values: string[]]>([
  ["kay ask -r ", ["session_2", "session_1", "latest"]],
  ["kay ask --resume=", ["--resume=session_2", "--resume=session_1", "--resume=latest"]],
  ["kay attach session_", ["session_2", "session_1"]],
  ["kay sessions rename s", ["session_2", "session_1"]],
  ["kay answer ", ["int_1"]],
  ["kay approvals revoke ", ["grant_1"]],
  ["kay config set model o", ["openai:gpt-6-astra", "offline"]],
  ["kay connect ", ["jira", "tasks", "linear"]],
])("%s: what the backend reported last", ([line, values]) => {
  expect(listCompletions(line, cached)).toEqual(values);
});

test("a value has a description: a title, words, or kay's own if the backend had none", () => {
  expect(offer("kay attach session_2", cached).values).toEqual([["session_2", "Login loops"]]);
  expect(offer("kay connect ", cached).values).toEqual([
    ["jira", "Jira"],
    ["tasks", "Tasks"],
    ["linear", "Linear: issues and projects"],
  ]);
});

test.for<[line: string, paths: string | undefined, prefix: string]>([
  ["kay sessions export latest -o ", "files", ""],
  ["kay sessions export latest --output=doc", "files", "--output="],
  ["kay services add tas", "files", ""],
  ["kay serve --data-dir ", "folders", ""],
  ["kay ask wha", undefined, ""],
])("%s: file names are left to the shell", ([line, paths, prefix]) => {
  expect(offer(line)).toEqual({ values: [], prefix, ...(paths ? { paths } : {}) });
});

test("aliases are offered as commands, and for removal", () => {
  const cached = { aliases: [["standup", "alias"]] as [string, string][] };
  expect(listCompletions("kay sta", cached)).toEqual(["status", "standup"]);
  expect(listCompletions("kay alias remove ", cached)).toEqual(["standup"]);
  expect(listCompletions("kay ask sta", cached)).toEqual([]);
});
