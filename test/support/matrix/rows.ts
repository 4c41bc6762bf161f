/** What a machine of the matrix has: a conversation, an open approval, and an open confirmation. */
export type Ready = { conversation: string; interaction: string; token: string };

/** One command of the matrix: how it is called, and what it needs. */
export type Row = {
  /** Its arguments. */
  args?(ready: Ready): string[];
  /** Makes changes that cannot be undone, so it asks: a denial is 5; without a prompt it is 2. */
  asks?: true;
  /** Sends a write at once: if a gateway answers instead, the outcome is unknown, which is 1. */
  writes?: true;
  /** "nothing" works without a backend, "backend" without a sign-in. */
  needs: "nothing" | "backend" | "sign-in";
  /** Without a sign-in it lists the built-in data. */
  lists?: true;
  /** It needs the local backend or a terminal, and has separate tests. */
  own?: true;
  /** Exit code on success; 0 by default. A group alone shows its help, which with `--json` is a missing command. */
  exit?: { plain: number; json: number };
  /** With `--json`: one document, unless it prints a line of JSON per part, or leaves the document to its backend. */
  json?: "lines" | "nothing";
  /** If a service must be connected, it prints the error of a tool, which names the service. */
  integration?: true;
  /** Further arguments on a terminal, where it would open a session. */
  onTerminal?: string[];
};

const GROUP: Row = { needs: "nothing", exit: { plain: 0, json: 2 } };

/** Every command of kay by its words; the matrix fails for one that has no row here. */
export const ROWS: Record<string, Row> = {
  "": { ...GROUP, onTerminal: ["--help"] },
  connect: { args: () => ["jira"], needs: "backend" },
  connections: { needs: "sign-in", lists: true },
  disconnect: { args: () => ["jira"], needs: "sign-in", asks: true },
  ask: { args: () => ["show KAY-3"], needs: "sign-in", writes: true },
  attach: { args: ({ conversation }) => [conversation], needs: "sign-in", json: "lines", onTerminal: ["--plain"] },
  confirm: { args: ({ token }) => [token, "--approve"], needs: "sign-in", writes: true },
  pending: { needs: "sign-in", onTerminal: ["--no-input"] },
  inbox: { needs: "sign-in", own: true },
  answer: { args: ({ interaction }) => [interaction, "--approve"], needs: "sign-in" },
  every: { args: () => ["1h", "show KAY-3"], needs: "sign-in" },
  "every list": { needs: "sign-in" },
  "every pause": { args: () => ["abcdef"], needs: "sign-in", exit: { plain: 1, json: 1 } },
  "every resume": { args: () => ["abcdef"], needs: "sign-in", exit: { plain: 1, json: 1 } },
  "every remove": { args: () => ["abcdef"], needs: "sign-in", exit: { plain: 1, json: 1 } },
  "every run": { args: () => ["abcdef"], needs: "sign-in", exit: { plain: 1, json: 1 } },
  log: { needs: "sign-in" },
  open: { args: () => ["KAY-3", "--no-browser"], needs: "sign-in" },
  sessions: GROUP,
  "sessions list": { needs: "sign-in" },
  "sessions show": { args: ({ conversation }) => [conversation], needs: "sign-in" },
  "sessions rename": { args: ({ conversation }) => [conversation, "Another", "title"], needs: "sign-in", writes: true },
  "sessions export": { args: ({ conversation }) => [conversation], needs: "sign-in" },
  "sessions delete": { args: ({ conversation }) => [conversation], needs: "sign-in", asks: true },
  approvals: GROUP,
  "approvals list": { needs: "sign-in" },
  "approvals test": { args: () => ["jira.search", '{"project": "KAY"}'], needs: "sign-in" },
  "approvals revoke": { args: () => ["grant_1"], needs: "sign-in", exit: { plain: 1, json: 1 } },
  policy: GROUP,
  "policy get": { needs: "sign-in" },
  "policy set": { args: () => ["jira", "reads"], needs: "sign-in", writes: true },
  services: { needs: "sign-in", lists: true },
  "services list": { needs: "sign-in", lists: true },
  "services show": { args: () => ["jira"], needs: "sign-in", lists: true },
  "services add": { args: () => ["others.yaml"], needs: "backend", asks: true },
  "services approve": { args: () => ["files"], needs: "sign-in", exit: { plain: 1, json: 1 } },
  "services remove": { args: () => ["tasks"], needs: "sign-in", asks: true },
  "services client-document": { args: () => ["https://example.com/kay.json"], needs: "backend" },
  "services export": { args: () => ["tasks"], needs: "sign-in" },
  tools: GROUP,
  "tools list": { needs: "sign-in" },
  "tools show": { args: () => ["jira.search"], needs: "sign-in" },
  "tools call": { args: () => ["jira.search", "--field", "project=KAY"], needs: "sign-in", integration: true },
  model: { needs: "sign-in" },
  "model list": { needs: "sign-in" },
  whoami: { needs: "sign-in" },
  logout: { needs: "nothing" },
  token: GROUP,
  "token create": { args: () => ["ci"], needs: "sign-in" },
  "token list": { needs: "sign-in" },
  "token revoke": { args: () => ["deploy"], needs: "sign-in", exit: { plain: 1, json: 1 } },
  config: GROUP,
  "config list": { needs: "nothing" },
  "config get": { args: () => ["api-url"], needs: "nothing" },
  "config set": { args: () => ["model", "offline"], needs: "nothing" },
  "config unset": { args: () => ["model"], needs: "nothing" },
  "config path": { needs: "nothing" },
  alias: GROUP,
  "alias list": { needs: "nothing" },
  "alias set": { args: () => ["standup", "show KAY-3"], needs: "nothing" },
  "alias remove": { args: () => ["standup"], needs: "nothing" },
  context: { needs: "sign-in", lists: true },
  "context trust": { needs: "nothing", exit: { plain: 1, json: 1 } },
  "context untrust": { needs: "nothing", exit: { plain: 1, json: 1 } },
  profile: GROUP,
  "profile list": { needs: "nothing" },
  "profile use": { args: () => ["default"], needs: "nothing" },
  "profile create": { args: () => ["another"], needs: "nothing" },
  "profile remove": { args: () => ["spare"], needs: "nothing", asks: true },
  doctor: { needs: "nothing", own: true },
  serve: { needs: "nothing", json: "nothing" },
  mcp: { needs: "sign-in", own: true },
  "mcp authorize": { needs: "sign-in", own: true },
  "mcp list": { needs: "sign-in" },
  "mcp remove": { args: () => ["reporter"], needs: "sign-in", exit: { plain: 1, json: 1 } },
  try: { needs: "nothing", own: true },
  completion: { args: () => ["bash"], needs: "nothing" },
  help: { args: () => ["json"], needs: "nothing" },
};
