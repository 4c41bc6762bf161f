/** Examples of commands whose usage says little, by the command. Subcommands have those of their group that name them. */
export const EXAMPLES: Record<string, readonly string[]> = {
  alias: [
    'kay alias set standup "what did I do yesterday in KAY?"',
    "kay alias set triage 'show $1 and everything that links to it'",
    "kay triage KAY-3",
  ],
  attach: ["kay attach", "kay attach --read-only"],
  config: ["kay config list", "kay config set model openai:gpt-6-astra", "kay config unset model"],
  confirm: ["kay confirm TOKEN --approve"],
  connections: ["kay connections", "kay connections --json"],
  context: ["kay context", "kay context trust"],
  logout: ["kay logout"],
  model: ["kay model --test", "kay model list"],
  pending: ["kay pending", "kay pending --json"],
  policy: ["kay policy set slack ask", "kay policy set jira reads"],
  profile: ["kay profile list", "kay profile use work"],
  serve: ["kay serve --port 4000", "kay serve --status", "kay serve --install"],
  services: ["kay services list", "kay services add tasks.yaml"],
  sessions: ["kay sessions list", "kay sessions show latest", "kay sessions export latest -o bugs.md"],
  tools: ["kay tools call slack.read_channel --field 'channel=#general'"],
  whoami: ["kay whoami --json"],
};
