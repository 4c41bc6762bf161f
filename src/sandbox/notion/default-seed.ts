import type { NotionSeed } from "./seed.ts";

const DANA = "Dana Demo";
const SAM = "Sam Sample";

/** The built-in world: the handbook of the team of two, and its road map. */
export const DEFAULT_SEED: NotionSeed = {
  workspace: { name: "Kay Demo" },
  users: [
    { id: "0d4a7e52-6f0b-4c39-9a51-3f2c8f1d0a01", name: DANA, email: "dana@example.com" },
    { id: "7c1e93b4-2a68-4f7d-8e40-b5d9a6c31f02", name: SAM, email: "sam@example.com" },
  ],
  pages: [
    {
      title: "Team handbook",
      text: [
        "How the team of kay works together.",
        "## Every week",
        "- Monday: what is planned, ten minutes\n- Thursday: what can be shown\n- Friday: nothing is released",
        "## Rules",
        "1. Whoever breaks it mends it\n2. No change without a second pair of eyes",
        "> Ask before anything is deleted.",
      ].join("\n\n"),
      created_time: "-90d",
      last_edited_time: "-6d",
    },
    {
      title: "Onboarding",
      parent: "Team handbook",
      text: [
        "Welcome! The first week in short.",
        "- [x] Laptop and accounts\n- [ ] Read the handbook\n- [ ] Connect kay to Jira and Bitbucket",
        "Then try it:",
        '```shell\nkay connect jira\nkay ask "what is open in KAY?"\n```',
      ].join("\n\n"),
      created_by: SAM,
      created_time: "-60d",
      last_edited_time: "-9d",
      comments: [{ author: DANA, text: "Who gives out the accounts now?", created_time: "-9d" }],
    },
    {
      title: "Meeting notes",
      parent: "Team handbook",
      text: "## Planning\n\n- KAY-1 goes first\n- KAY-5 waits for the export format\n\nNext time: names for the release.",
      created_time: "-20d",
      last_edited_time: "-2d",
    },
    {
      title: "Release plan 1.0",
      text: "What has to be done before the release.\n\n- Login that survives a restart\n- Export to CSV\n- Documentation\n\n---\n\nSee the road map for dates.",
      created_by: SAM,
      created_time: "-15d",
      last_edited_time: "-1d",
    },
  ],
  databases: [
    {
      title: "Road map",
      properties: {
        Name: "title",
        Status: { type: "status", options: ["Not started", "In progress", "Done"] },
        Owner: "people",
        Priority: { type: "select", options: ["High", "Medium", "Low"] },
        Area: { type: "multi_select", options: ["CLI", "Backend", "Docs"] },
        Due: "date",
        Days: "number",
        Public: "checkbox",
      },
      rows: [
        {
          properties: {
            Name: "Login survives a restart",
            Status: "In progress",
            Owner: [DANA],
            Priority: "High",
            Area: ["CLI", "Backend"],
            Due: "+4d",
            Days: 3,
            Public: true,
          },
          text: "See KAY-1.",
          last_edited_time: "-1d",
        },
        {
          properties: {
            Name: "Export to CSV",
            Status: "Not started",
            Owner: [SAM],
            Priority: "Medium",
            Area: ["CLI"],
            Due: "+12d",
            Days: 5,
          },
          text: "See KAY-5.",
          last_edited_time: "-3d",
        },
        {
          properties: {
            Name: "Write the manual",
            Status: "Not started",
            Priority: "Low",
            Area: ["Docs"],
            Days: 8,
            Public: true,
          },
          last_edited_time: "-8d",
        },
        {
          properties: {
            Name: "Ask before deleting",
            Status: "Done",
            Owner: [DANA, SAM],
            Priority: "High",
            Area: ["CLI"],
            Due: "-20d",
            Days: 2,
            Public: true,
          },
          last_edited_time: "-20d",
        },
      ],
      created_time: "-80d",
      last_edited_time: "-1d",
    },
    {
      title: "Bookshelf",
      parent: "Team handbook",
      properties: { Title: "title", Author: "rich_text", Link: "url", Read: "checkbox" },
      rows: [
        {
          properties: {
            Title: "The Art of Command Line",
            Author: "Joshua Levy",
            Link: "https://example.com/command-line",
            Read: true,
          },
        },
        { properties: { Title: "Release It!", Author: "Michael Nygard", Read: false } },
      ],
      created_time: "-70d",
      last_edited_time: "-30d",
    },
  ],
};
