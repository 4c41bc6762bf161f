import type { AtlassianSeed } from "./seed.ts";

const DANA = "557058:0d4a7e52-6f0b-4c39-9a51-3f2c8f1d0a01";
const SAM = "557058:7c1e93b4-2a68-4f7d-8e40-b5d9a6c31f02";

/** The built-in world: a team of two that builds a terminal agent. */
export const DEFAULT_SEED: AtlassianSeed = {
  accounts: [
    { accountId: DANA, displayName: "Dana Demo", emailAddress: "dana@example.com", timeZone: "Europe/Berlin" },
    { accountId: SAM, displayName: "Sam Sample", emailAddress: "sam@example.com", timeZone: "America/New_York" },
  ],
  sites: [
    {
      name: "kay-demo",
      accounts: [DANA, SAM],
      projects: [
        { key: "KAY", name: "Kay", description: "The terminal agent", lead: DANA },
        { key: "OPS", name: "Operations", description: "Keeping things running", lead: SAM },
      ],
      sprints: [
        { name: "Sprint 7", state: "active" },
        { name: "Sprint 8", state: "future" },
      ],
      issues: [
        issue(
          "KAY-1",
          "Login loops when the identity provider is slow",
          "Bug",
          "In Progress",
          "Highest",
          DANA,
          "-12d",
          "-1d",
          {
            labels: ["login", "sso"],
            sprint: "Sprint 7",
            description:
              "After the consent page the browser comes back to the login page and starts again.\n\nSteps:\n1. Delay the identity provider by 8 seconds\n2. Run kay connect jira\n3. Allow\n\nExpected: one login. Seen: a loop that ends only with Ctrl+C.",
            comments: [
              { author: SAM, body: "Happens with a delay of 6 seconds too.", created: "-5d" },
              { author: DANA, body: "The state is thrown away on the second poll. Working on it.", created: "-1d" },
            ],
          },
        ),
        issue("KAY-2", "Show the account behind each connection", "Story", "Done", "Medium", SAM, "-30d", "-9d", {
          description: "kay connections names the account and the site, so that nobody works in the wrong place.",
        }),
        issue("KAY-3", "Typo in the help of kay ask", "Bug", "To Do", "Low", DANA, "-8d", "-8d", {
          labels: ["docs", "good-first-issue"],
          description: 'The help says "comfirm" where it means "confirm".',
        }),
        issue("KAY-4", "Keep the order of parallel tool results", "Bug", "To Do", "High", null, "-6d", "-2d", {
          labels: ["agent"],
          sprint: "Sprint 8",
          description:
            "With three calls in one step the results come back in the order they finish, and the model mixes them up.",
          comments: [
            { author: DANA, body: "The wire has the call ids; sort by them before the next step.", created: "-2d" },
          ],
        }),
        issue("KAY-5", "Export a conversation as Markdown", "Story", "To Do", "Medium", SAM, "-15d", "-4d", {
          description: "Somebody wants to paste what kay did into a pull request.",
        }),
        issue("KAY-6", "Refresh tokens in one process only", "Task", "In Review", "High", DANA, "-10d", "-3h", {
          labels: ["login"],
          sprint: "Sprint 7",
          description:
            "Twelve one-shots at once must cause one refresh, and a kill in the middle must leave the user signed in.",
          comments: [{ author: SAM, body: "Review started. The lock file looks right.", created: "-3h" }],
        }),
        issue("KAY-7", "Ask before anything is deleted", "Story", "Done", "Highest", DANA, "-40d", "-20d", {
          description: "A destructive tool always asks, whatever was allowed before.",
        }),
        issue("KAY-8", "Session flickers on narrow terminals", "Bug", "In Progress", "Medium", SAM, "-9d", "-2d", {
          labels: ["terminal"],
          description: "Below 60 columns the live region is taller than the window.",
        }),
        issue("KAY-9", "Measure the start of the session", "Task", "Done", "Low", SAM, "-25d", "-18d"),
        issue("KAY-10", "First minute", "Epic", "In Progress", "High", DANA, "-45d", "-7d", {
          description: "From nothing installed to the first answer in one minute, with no account and no key.",
        }),
        issue("KAY-11", "Say which scope is missing", "Task", "To Do", "Medium", null, "-4d", "-4d", {
          labels: ["errors"],
          description: '"scope does not match" helps nobody. Name the permission and how to reconnect.',
        }),
        issue("KAY-12", "Paste of 800 lines freezes the input", "Bug", "To Do", "High", SAM, "-2d", "-1d", {
          labels: ["terminal"],
          duedate: "2027-01-15",
          description: "The draft is drawn again for every pasted line.",
        }),
        issue("OPS-1", "Renew the certificate of the staging host", "Task", "To Do", "Highest", SAM, "-3d", "-3d", {
          labels: ["certificates"],
          description: "It runs out at the end of the month.",
        }),
        issue("OPS-2", "Back up the database every night", "Task", "Done", "High", SAM, "-60d", "-33d"),
        issue("OPS-3", "Alert when the disk is 80 % full", "Task", "In Progress", "Medium", DANA, "-14d", "-6d"),
        issue("OPS-4", "Deploys fail on Fridays", "Bug", "To Do", "High", null, "-7d", "-7d", {
          description: "The job that drains connections takes longer than its time limit when many streams are open.",
        }),
      ],
      spaces: [{ key: "KAY", name: "Kay engineering", description: "How kay is built and run" }],
      pages: [
        createPage(
          "Kay engineering",
          null,
          DANA,
          "-90d",
          "-30d",
          3,
          "<p>Start here. The pages below say how kay is built, released and run.</p>",
        ),
        createPage(
          "Architecture",
          "Kay engineering",
          DANA,
          "-80d",
          "-12d",
          7,
          "<h2>Rooms</h2><p>The command line speaks to the backend over HTTP. The backend brokers consent, runs the agent and keeps the log.</p><ul><li>protocol: the contract</li><li>client: tokens and refresh</li><li>backend: sessions and tools</li></ul>",
        ),
        createPage(
          "Release checklist",
          "Kay engineering",
          SAM,
          "-70d",
          "-5d",
          4,
          "<ol><li>Run the checks</li><li>Write the notes</li><li>Tag the release</li><li>Tell the team</li></ol>",
        ),
        {
          ...createPage(
            "Runbook: sign-in fails",
            "Kay engineering",
            SAM,
            "-40d",
            "-8d",
            2,
            "<h2>What users see</h2><p>kay says that the sign-in has ended although nobody logged out.</p><h2>What to do</h2><ol><li>Look for <code>REFRESH_REUSED</code> in the log</li><li>Ask which version they run</li><li>If it is older than 0.1, let them update and connect again</li></ol>",
          ),
          comments: [
            { author: DANA, body: "<p>Does an expired sign-in look the same?</p>", created: "-7d" },
            { author: SAM, body: "<p>Yes, with <code>REFRESH_INVALID</code>.</p>", created: "-6d" },
          ],
        },
        createPage(
          "How we review",
          "Kay engineering",
          DANA,
          "-35d",
          "-35d",
          1,
          "<p>A review looks at behaviour first, names second, style last. <strong>Two days</strong> at most.</p>",
        ),
        createPage(
          "Meeting notes: first minute",
          "Kay engineering",
          DANA,
          "-7d",
          "-7d",
          1,
          "<p>We watched five people connect Jira for the first time. Three looked for the address of the consent page; it is now printed first.</p><table><tbody><tr><th>Who</th><th>Minutes</th></tr><tr><td>Sam</td><td>1.5</td></tr><tr><td>Dana</td><td>0.8</td></tr></tbody></table>",
        ),
      ],
    },
  ],
};

type IssueSeed = NonNullable<AtlassianSeed["sites"][number]["issues"]>[number];
type PageSeed = NonNullable<AtlassianSeed["sites"][number]["pages"]>[number];

function issue(
  key: string,
  summary: string,
  issuetype: string,
  status: string,
  priority: string,
  assignee: string | null,
  created: string,
  updated: string,
  more: Partial<IssueSeed> = {},
): IssueSeed {
  return { key, summary, issuetype, status, priority, assignee, reporter: DANA, created, updated, ...more };
}

function createPage(
  title: string,
  parent: string | null,
  author: string,
  created: string,
  updated: string,
  version: number,
  body: string,
): PageSeed {
  return { space: "KAY", title, parent, author, created, updated, version, body };
}
