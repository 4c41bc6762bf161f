import type { SlackSeed } from "./seed.ts";

/** The built-in world: the workspace of the team of two, a designer who helps, and the bot of their releases. */
export const DEFAULT_SEED: SlackSeed = {
  team: { id: "T0KAYDEMO1", name: "Kay Demo", domain: "kay-demo" },
  users: [
    {
      id: "U0DANADEM1",
      name: "dana",
      real_name: "Dana Demo",
      email: "dana@example.com",
      title: "Engineer",
      tz: "Europe/Berlin",
    },
    {
      id: "U0SAMSAMP2",
      name: "sam",
      real_name: "Sam Sample",
      email: "sam@example.com",
      title: "Engineer",
      tz: "America/New_York",
    },
    {
      id: "U0MIACHEN3",
      name: "mia",
      real_name: "Mia Chen",
      email: "mia@example.com",
      title: "Designer",
      tz: "Asia/Singapore",
    },
    { id: "U0RELEASE4", name: "releases", real_name: "Release bot", is_bot: true },
  ],
  channels: [
    {
      id: "C0GENERAL1",
      name: "general",
      topic: "Everything that concerns everybody",
      purpose: "Announcements and questions",
      created: "-300d",
      messages: [
        {
          user: "mia",
          text: "Good morning! The new icons are in the design folder.",
          ts: "-3d",
          reactions: [{ name: "tada", users: ["dana", "sam"] }],
        },
        {
          user: "sam",
          text: "Planning is at *10:00* tomorrow. Please look at <https://example.com/roadmap|the roadmap> before.",
          ts: "-26h",
          replies: [{ user: "dana", text: "I will be five minutes late.", ts: "-25h" }],
        },
        {
          user: "dana",
          text: "<@U0SAMSAMP2> the login fix is ready for review: KAY-1",
          ts: "-4h",
          reactions: [{ name: "eyes", users: ["sam"] }],
        },
      ],
    },
    {
      id: "C0ENGINEE2",
      name: "engineering",
      topic: "How kay is built",
      purpose: "Code, reviews and builds",
      members: ["dana", "sam", "releases"],
      created: "-290d",
      messages: [
        { user: "sam", text: "The nightly build is red. `test/client/lock` fails when the disk is slow.", ts: "-30h" },
        {
          user: "dana",
          text: "Found it:\n```\nawait lock.release()\n```\nwas missing in one path. Fix is on the way.",
          ts: "-28h",
          replies: [
            { user: "sam", text: "That explains the second login too &amp; the slow start.", ts: "-27h" },
            { user: "dana", text: "Merged.", ts: "-24h", reactions: [{ name: "+1", users: ["sam"] }] },
          ],
        },
        { user: "releases", text: "Build 482 of `kay-cli` is green.", ts: "-2h" },
      ],
    },
    {
      id: "C0RELEASE3",
      name: "releases",
      topic: "What went out",
      purpose: "One message for each release",
      members: ["sam", "mia", "releases"],
      created: "-200d",
      messages: [{ user: "releases", text: "kay 0.9.0 is out: login keeps its state, exports are faster.", ts: "-6d" }],
    },
    {
      id: "C0RANDOM04",
      name: "random",
      purpose: "Everything else",
      created: "-300d",
      messages: [{ user: "mia", text: "The bakery at the corner is open again :croissant:", ts: "-2d" }],
    },
    {
      id: "C0INCIDEN5",
      name: "incidents",
      is_private: true,
      purpose: "When something is down",
      members: ["dana", "sam"],
      created: "-120d",
      messages: [{ user: "dana", text: "All clear since 14:20. Notes follow tomorrow.", ts: "-9d" }],
    },
    { id: "C0OLDWEBS6", name: "old-website", is_archived: true, members: ["dana", "mia"], created: "-600d" },
  ],
  ims: [
    {
      id: "D0DANASAM1",
      users: ["dana", "sam"],
      messages: [
        { user: "sam", text: "Do you have a minute for KAY-6?", ts: "-5h" },
        { user: "dana", text: "After lunch.", ts: "-5h" },
      ],
    },
  ],
};
