import type { AirtableSeed } from "./seed.ts";

const DANA = "Dana Demo";
const SAM = "Sam Sample";

/** The built-in world: whom the team of two talks to, and what the release needs. */
export const DEFAULT_SEED: AirtableSeed = {
  accounts: [
    { id: "usr0d4a7e526f0b4c", name: DANA, email: "dana@example.com" },
    { id: "usr7c1e93b42a684f", name: SAM, email: "sam@example.com" },
  ],
  bases: [
    {
      name: "Kay Launch",
      tables: [
        {
          name: "Tasks",
          description: "What has to be done before the launch",
          fields: [
            { name: "Name" },
            { name: "Status", choices: ["Todo", "In progress", "Done"] },
            { name: "Owner", type: "singleCollaborator" },
            { name: "Due", type: "date" },
            { name: "Hours", type: "number" },
            { name: "Blocked", type: "checkbox" },
            { name: "Channels", linkedTable: "Channels" },
            { name: "Notes", type: "multilineText" },
            { name: "Created", type: "createdTime" },
          ],
          records: [
            {
              fields: {
                Name: "Write the announcement",
                Status: "In progress",
                Owner: DANA,
                Due: "+3d",
                Hours: 4,
                Channels: ["Blog", "Newsletter"],
                Notes: "Two screens at most.",
              },
              createdTime: "-12d",
            },
            {
              fields: {
                Name: "Record the demo",
                Status: "Todo",
                Owner: SAM,
                Due: "+5d",
                Hours: 6,
                Channels: ["Video"],
              },
              createdTime: "-11d",
            },
            {
              fields: { Name: "Book the domain", Status: "Done", Owner: DANA, Due: "-14d", Hours: 1 },
              createdTime: "-25d",
            },
            {
              fields: {
                Name: "Press list",
                Status: "Todo",
                Hours: 2,
                Blocked: true,
                Notes: "Waits for the announcement.",
              },
              createdTime: "-6d",
            },
          ],
        },
        {
          name: "Channels",
          fields: [
            { name: "Name" },
            { name: "Kind", choices: ["Own", "Press", "Social"] },
            { name: "Link", type: "url" },
            { name: "Readers", type: "number" },
          ],
          records: [
            { fields: { Name: "Blog", Kind: "Own", Link: "https://example.com/blog", Readers: 900 } },
            { fields: { Name: "Newsletter", Kind: "Own", Readers: 420 } },
            { fields: { Name: "Video", Kind: "Social", Link: "https://example.com/video", Readers: 150 } },
          ],
        },
      ],
    },
    {
      name: "Contacts",
      tables: [
        {
          name: "People",
          fields: [
            { name: "Name" },
            { name: "Email", type: "email" },
            { name: "Company" },
            { name: "Tags", type: "multipleSelects", choices: ["Tester", "Press", "Partner"] },
            { name: "Last contact", type: "date" },
          ],
          records: [
            {
              fields: {
                Name: "Mia Chen",
                Email: "mia@example.org",
                Company: "Fieldnotes",
                Tags: ["Tester"],
                "Last contact": "-4d",
              },
            },
            {
              fields: {
                Name: "Omar Haddad",
                Email: "omar@example.org",
                Company: "The Daily Prompt",
                Tags: ["Press"],
                "Last contact": "-30d",
              },
            },
            {
              fields: {
                Name: "Ines Duarte",
                Email: "ines@example.org",
                Company: "Fieldnotes",
                Tags: ["Tester", "Partner"],
                "Last contact": "-1d",
              },
            },
          ],
        },
      ],
    },
  ],
};
