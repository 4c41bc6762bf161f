import type { BitbucketSeed } from "./seed.ts";

const DANA = "557058:0d4a7e52-6f0b-4c39-9a51-3f2c8f1d0a01";
const SAM = "557058:7c1e93b4-2a68-4f7d-8e40-b5d9a6c31f02";

/** The built-in world: the repositories of the team of two. */
export const DEFAULT_SEED: BitbucketSeed = {
  accounts: [
    { account_id: DANA, display_name: "Dana Demo", nickname: "dana", email: "dana@example.com" },
    { account_id: SAM, display_name: "Sam Sample", nickname: "sam", email: "sam@example.com" },
  ],
  workspaces: [
    {
      slug: "kay-demo",
      name: "Kay Demo",
      members: [DANA, SAM],
      repositories: [
        {
          slug: "kay-cli",
          description: "The terminal agent",
          language: "typescript",
          project: { key: "KAY", name: "Kay" },
          branches: ["main", "KAY-3-help-typo", "KAY-5-export"],
          created_on: "-200d",
          updated_on: "-3h",
          pull_requests: [
            {
              title: "KAY-7 Ask before anything is deleted",
              state: "MERGED",
              author: DANA,
              source: "KAY-7-ask-first",
              reviewers: [SAM],
              approved_by: [SAM],
              closed_by: SAM,
              created_on: "-22d",
              updated_on: "-20d",
            },
            {
              title: "KAY-1 Keep the state of a login until it ends",
              description:
                "The second poll threw the state away. Now it lives until the login ends or ten minutes have passed.\n\nCloses KAY-1.",
              author: DANA,
              source: "KAY-1-login-loop",
              reviewers: [SAM],
              created_on: "-2d",
              updated_on: "-1d",
              comments: [
                { user: SAM, raw: "What happens when the clock jumps?", created_on: "-1d" },
                {
                  user: SAM,
                  raw: "This could be one line.",
                  created_on: "-1d",
                  inline: { path: "src/client/login.ts", to: 42 },
                },
              ],
            },
            {
              title: "KAY-6 One refresh for many processes",
              description:
                "A lock file with the process id and its start time; whoever loses reads the winner's tokens.",
              author: SAM,
              source: "KAY-6-single-refresh",
              reviewers: [DANA],
              approved_by: [DANA],
              created_on: "-4d",
              updated_on: "-3h",
            },
            {
              title: "Draw the whole session again on every key",
              state: "DECLINED",
              author: SAM,
              source: "experiment-redraw",
              closed_by: SAM,
              created_on: "-50d",
              updated_on: "-48d",
            },
          ],
        },
        {
          slug: "infrastructure",
          description: "Hosts, certificates and nightly jobs",
          language: "hcl",
          project: { key: "OPS", name: "Operations" },
          branches: ["main", "OPS-1-certificates"],
          created_on: "-300d",
          updated_on: "-6d",
          pull_requests: [
            {
              title: "OPS-3 Alert when a disk is 80 % full",
              author: DANA,
              source: "OPS-3-disk-alert",
              reviewers: [SAM],
              changes_requested_by: [SAM],
              created_on: "-8d",
              updated_on: "-6d",
              comments: [
                {
                  user: SAM,
                  raw: "80 % of 4 TB is a lot of room left. Can it be a number of days instead?",
                  created_on: "-6d",
                },
              ],
            },
          ],
        },
      ],
    },
  ],
};
