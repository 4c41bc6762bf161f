import { expect, test } from "vitest";
import { bitbucket } from "#connectors/bitbucket/bitbucket";
import { confluence } from "#connectors/confluence/confluence";
import { hubspot } from "#connectors/hubspot/hubspot";
import { jira } from "#connectors/jira/jira";
import { linkedin } from "#connectors/linkedin/linkedin";
import { expectCalls, modelTools, type Phrasing, plannerTalk } from "#test/planner";

const tools = modelTools([jira, confluence, bitbucket, hubspot, linkedin]);
const POST = "urn:li:share:7012345678901234567";

const UNDERSTOOD: Phrasing[] = [
  // HubSpot
  ["find the contact Mara Lind", ["hubspot.search_contacts", { text: "Mara Lind" }]],
  ["search hubspot for northwind", ["hubspot.search_contacts", { text: "northwind" }]],
  ["which contacts do we have at Contoso?", ["hubspot.search_contacts", { company: "Contoso" }]],
  ["list contacts at Northwind Traders", ["hubspot.search_contacts", { company: "Northwind Traders" }]],
  ["show the contact Mara Lind", ["hubspot.get_contact", { contact: "Mara Lind" }]],
  ["what is the phone number of Priya Nair?", ["hubspot.get_contact", { contact: "Priya Nair" }]],
  ["which deals does Mara Lind have?", ["hubspot.get_contact", { contact: "Mara Lind" }]],
  [
    "show the contact mara.lind@northwind.example.com",
    ["hubspot.get_contact", { contact: "mara.lind@northwind.example.com" }],
  ],
  [
    "create a contact for Ann Lee with email ann@example.com",
    ["hubspot.create_contact", { name: "Ann Lee", email: "ann@example.com" }],
  ],
  ["create a contact Ann Lee at Acme", ["hubspot.create_contact", { name: "Ann Lee", company: "Acme" }]],
  ["add Ann Lee to hubspot", ["hubspot.create_contact", { name: "Ann Lee" }]],
  ["set the phone of Mara Lind to 555-1234", ["hubspot.update_contact", { contact: "Mara Lind", phone: "555-1234" }]],
  [
    "change the email of Mara Lind to mara@example.com",
    ["hubspot.update_contact", { contact: "Mara Lind", email: "mara@example.com" }],
  ],
  [
    "mark the contact Leo Costa as customer",
    ["hubspot.update_contact", { contact: "Leo Costa", lifecycle_stage: "customer" }],
  ],
  ["list deals", ["hubspot.list_deals", {}]],
  ["show my deals", ["hubspot.list_deals", { owner: "me" }]],
  ["which deals are open?", ["hubspot.list_deals", { stage: "open" }]],
  ["show the won deals", ["hubspot.list_deals", { stage: "won" }]],
  ["which deals are in Contract Sent?", ["hubspot.list_deals", { stage: "Contract sent" }]],
  ["find deals about renewal", ["hubspot.list_deals", { text: "renewal" }]],
  ["create a deal: Acme renewal", ["hubspot.create_deal", { name: "Acme renewal" }]],
  ["create a deal called Acme renewal", ["hubspot.create_deal", { name: "Acme renewal" }]],
  ["create a deal worth 5000: Acme renewal", ["hubspot.create_deal", { name: "Acme renewal", amount: 5000 }]],
  [
    "create a deal with Mara Lind: Acme renewal",
    ["hubspot.create_deal", { name: "Acme renewal", contact: "Mara Lind" }],
  ],
  [
    'move the deal "Contoso renewal" to Contract sent',
    ["hubspot.move_deal", { deal: "Contoso renewal", stage: "Contract sent" }],
  ],
  ["move the deal Fabrikam to won", ["hubspot.move_deal", { deal: "Fabrikam", stage: "won" }]],
  ["set the amount of the deal Fabrikam to 5000", ["hubspot.update_deal", { deal: "Fabrikam", amount: 5000 }]],
  ["rename the deal Fabrikam to Fabrikam 2", ["hubspot.update_deal", { deal: "Fabrikam", new_name: "Fabrikam 2" }]],
  ["mark the deal Fabrikam as lost", ["hubspot.move_deal", { deal: "Fabrikam", stage: "lost" }]],
  [
    "add a note to the contact Mara Lind: called, wants a demo",
    ["hubspot.add_note", { contact: "Mara Lind", text: "called, wants a demo" }],
  ],
  [
    "add a note to the deal Fabrikam: waiting for legal",
    ["hubspot.add_note", { deal: "Fabrikam", text: "waiting for legal" }],
  ],
  // LinkedIn
  ["who am I on LinkedIn?", ["linkedin.me", {}]],
  ["show my linkedin profile", ["linkedin.me", {}]],
  ["post on LinkedIn: kay 1.0 is out", ["linkedin.create_post", { text: "kay 1.0 is out" }]],
  ["post to linkedin: we are hiring", ["linkedin.create_post", { text: "we are hiring" }]],
  ['post "we are hiring" on linkedin', ["linkedin.create_post", { text: "we are hiring" }]],
  [
    "post to my connections on linkedin: we are hiring",
    ["linkedin.create_post", { text: "we are hiring", visibility: "connections" }],
  ],
  [
    "share https://example.com/news on linkedin: read this",
    ["linkedin.create_post", { text: "read this", link: "https://example.com/news" }],
  ],
  [`delete the linkedin post ${POST}`, ["linkedin.delete_post", { post: POST }]],
  [`comment on the linkedin post ${POST}: well said`, ["linkedin.comment", { post: POST, text: "well said" }]],
  [`like the linkedin post ${POST}`, ["linkedin.react", { post: POST, reaction: "like" }]],
  [`react to the linkedin post ${POST} with celebrate`, ["linkedin.react", { post: POST, reaction: "celebrate" }]],
];

test.each(UNDERSTOOD)("“%s” is understood", expectCalls);

const WORDS: [request: string, words: RegExp][] = [
  ["find people on linkedin", /^I do not know how to do/],
  ["search linkedin for designers in Berlin", /^I do not know how to do/],
  ["delete the contact Mara Lind", /^I do not know how to do/],
  ["delete the deal Fabrikam", /^I do not know how to do/],
  ["don't post anything on linkedin", /^I did nothing/],
  ["post on linkedin", /I need the text/],
];

test.each(WORDS)("“%s” is answered in words, and nothing is called", async (request, words) => {
  const reply = await plannerTalk(tools).say(request);
  expect(reply.calls).toEqual([]);
  expect(reply.text).toMatch(words);
});
