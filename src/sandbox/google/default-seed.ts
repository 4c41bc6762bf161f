import type { GoogleSeed } from "./seed.ts";

const DANA = "108174562309871234501";
const SAM = "108174562309871234502";
const [DANA_MAIL, SAM_MAIL] = ["Dana Demo <dana@example.com>", "Sam Sample <sam@example.com>"];

/** The built-in world: mail, calendars and files of the team of two. */
export const DEFAULT_SEED: GoogleSeed = {
  accounts: [
    { id: DANA, name: "Dana Demo", email: "dana@example.com", timeZone: "Europe/Berlin" },
    { id: SAM, name: "Sam Sample", email: "sam@example.com", timeZone: "America/New_York" },
  ],
  labels: [
    { account: DANA, name: "Kay" },
    { account: DANA, name: "Receipts" },
    { account: SAM, name: "Kay" },
  ],
  messages: [
    {
      account: DANA,
      threadId: "18f2a6c01b3d0001",
      id: "18f2a6c01b3d0001",
      from: SAM_MAIL,
      to: DANA_MAIL,
      subject: "Release 1.4 on Friday?",
      date: "-3h",
      labelIds: ["INBOX", "UNREAD", "IMPORTANT", "Label_1"],
      text: "Hi Dana,\n\nKAY-6 is in review and the checklist is half done. Shall we release on Friday, or wait for the certificate (OPS-1)?\n\nSam",
    },
    {
      account: DANA,
      from: "Jürgen Groß <juergen@druckerei.example.com>",
      to: DANA_MAIL,
      subject: "Angebot für Aufkleber – 500 Stück",
      date: "-1d",
      labelIds: ["INBOX", "UNREAD"],
      html: "<p>Guten Tag Frau Demo,</p><p>500 Aufkleber kosten <b>89,00 €</b>, Lieferung in fünf Tagen.</p><p>Grüße aus Köln<br>Jürgen Groß</p>",
      attachments: [{ filename: "Angebot 2026-118.pdf", mimeType: "application/pdf", size: 48213 }],
    },
    {
      account: DANA,
      from: "Nightly jobs <jobs@example.com>",
      to: DANA_MAIL,
      subject: "Nightly jobs: 1 of 14 failed",
      date: "-9h",
      labelIds: ["INBOX"],
      text: "Failed: renew-certificates (staging). The other 13 went through.\n\nThe log is on the host.",
    },
    {
      account: DANA,
      from: "Rail tickets <tickets@rail.example.com>",
      to: DANA_MAIL,
      subject: "Your ticket to Hamburg",
      date: "-5d",
      labelIds: ["Label_2"],
      text: "Berlin to Hamburg, second class, one person: 39.90 EUR. Thank you.",
    },
    {
      account: DANA,
      threadId: "18f2a6c01b3d0009",
      id: "18f2a6c01b3d0009",
      from: DANA_MAIL,
      to: SAM_MAIL,
      subject: "Wording of the help",
      date: "-2d",
      labelIds: ["SENT"],
      text: "Could you look at the help of kay ask? KAY-3 has the typo.",
    },
    {
      account: SAM,
      threadId: "18f2a6c01b3d0009",
      id: "28f2a6c01b3d0009",
      messageId: "<18f2a6c01b3d0009@mail.example.com>",
      from: DANA_MAIL,
      to: SAM_MAIL,
      subject: "Wording of the help",
      date: "-2d",
      labelIds: ["INBOX"],
      text: "Could you look at the help of kay ask? KAY-3 has the typo.",
    },
  ],
  events: [
    ...["+1d", "+2d", "+3d"].map((day, index) => ({
      id: `standup0000000000000000${index + 1}`,
      organizer: DANA,
      summary: "Stand-up",
      start: `${day} 09:30`,
      end: `${day} 09:45`,
      attendees: [SAM],
      recurringEventId: "standup0000000000000000",
    })),
    {
      organizer: DANA,
      summary: "Release review",
      description: "Checklist, open pull requests, who releases.",
      location: "Room 2",
      start: "+1d 14:00",
      end: "+1d 15:00",
      attendees: [{ email: "sam@example.com", responseStatus: "accepted" }],
    },
    { organizer: SAM, summary: "Sam and Dana", start: "+2d 10:00", end: "+2d 10:30", attendees: [DANA] },
    { organizer: DANA, summary: "Dentist", location: "Main Street 7", start: "+3d 08:00", end: "+3d 09:00" },
    { organizer: DANA, summary: "Team offsite", location: "Hamburg", start: "+10d", end: "+13d", attendees: [SAM] },
  ],
  files: [
    { name: "Kay", owner: DANA, permissions: [{ role: "writer", emailAddress: "sam@example.com" }] },
    {
      name: "Release notes 1.4",
      owner: DANA,
      parents: ["Kay"],
      modifiedTime: "-4h",
      text: "# Release notes 1.4\nWhat changes for people who use kay.\n- One refresh for many processes (KAY-6)\n- Paste of 800 lines no longer freezes the input (KAY-12)\n# Known faults\nThe session flickers on narrow terminals.",
      permissions: [{ role: "writer", emailAddress: "sam@example.com" }],
    },
    {
      name: "Onboarding",
      owner: SAM,
      modifiedTime: "-12d",
      text: "# Onboarding\nFirst day: accounts, keys, coffee.\nFirst week: one pull request.",
      permissions: [{ role: "reader", emailAddress: "dana@example.com" }],
    },
    {
      name: "Budget 2026",
      owner: DANA,
      parents: ["Kay"],
      modifiedTime: "-2d",
      sheets: [
        {
          title: "Costs",
          rows: [
            ["Item", "Month", "EUR"],
            ["Hosting", "October", 412],
            ["Hosting", "November", 398],
            ["Certificates", "November", 89],
          ],
        },
        {
          title: "Plan",
          rows: [
            ["Quarter", "EUR"],
            ["Q4", 1400],
          ],
        },
      ],
      permissions: [{ role: "reader", emailAddress: "sam@example.com" }],
    },
    {
      name: "Angebot 2026-118.pdf",
      mimeType: "application/pdf",
      owner: DANA,
      size: "48213",
      modifiedTime: "-1d",
    },
  ],
};
