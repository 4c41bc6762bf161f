import { expect, test } from "vitest";
import {
  acceptCandidate,
  type CompletionSources,
  extendDraft,
  findCompletion,
  findLiveCompletion,
} from "#ui/editor/complete";
import { type Draft, EMPTY_DRAFT, paste, replaceText } from "#ui/editor/draft";

const candidates = (...names: string[]) => names.map((text) => ({ text, note: "" }));

const SOURCES: CompletionSources = {
  commands: [
    { name: "connect", note: "connect services", argument: "services" },
    { name: "connections", note: "show them" },
    { name: "disconnect", note: "Disconnect services", argument: "connected" },
    { name: "sessions", note: "", argument: "sessions" },
    { name: "help", note: "" },
  ],
  services: candidates("slack", "jira", "github", "gitlab"),
  connected: candidates("jira"),
  sessions: candidates("kaysession_1", "Kaysession_2"),
  tools: candidates("jira.search"),
  words: candidates("KAY-3", "KAY-12"),
  prompts: candidates("everything:args-prompt").map(({ text: name, note }) => ({ name, note })),
  resources: candidates("@everything:demo://resource/1"),
  mentions: candidates("@KAY-3", "@#general", "@sam.lee", "@notes/today.md", '@"my notes.md"'),
  places: [],
};

/** Creates a draft with the cursor at `|`, or at the end. */
function draftAt(marked: string): Draft {
  const draft = replaceText(EMPTY_DRAFT, marked.replace("|", ""));
  return marked.includes("|") ? { ...draft, cursor: marked.indexOf("|") } : draft;
}

function listCandidates(marked: string): string[] | null {
  return findCompletion(draftAt(marked), SOURCES)?.candidates.map(({ text }) => text) ?? null;
}

/** Returns the draft after Tab, with the cursor, or null if the candidates should be shown. */
function tab(marked: string): string | null {
  const draft = draftAt(marked);
  const completion = findCompletion(draft, SOURCES);
  const after = completion && extendDraft(draft, completion);
  return after && `${after.text.slice(0, after.cursor)}|${after.text.slice(after.cursor)}`;
}

test("a slash at the beginning offers the commands", () => {
  expect(listCandidates("/")).toEqual([
    "/connect",
    "/connections",
    "/disconnect",
    "/sessions",
    "/help",
    "/everything:args-prompt",
  ]);
  expect(listCandidates("/CONN")).toEqual(["/connect", "/connections"]);
  expect(listCandidates("/x")).toBeNull();
  expect(listCandidates("see /con")).toBeNull();
  expect(findCompletion(draftAt("/he"), SOURCES)).toEqual({
    from: 0,
    to: 3,
    candidates: [{ text: "/help", note: "" }],
  });
});

test("a command's arguments are offered, without those already given", () => {
  expect(listCandidates("/connect ")).toEqual(["slack", "jira", "github", "gitlab"]);
  expect(listCandidates("/connect slack gi")).toEqual(["github", "gitlab"]);
  expect(listCandidates("/connect slack s")).toBeNull();
  expect(listCandidates("/disconnect ")).toEqual(["jira"]);
  expect(listCandidates("/sessions kay")).toEqual(["kaysession_1", "Kaysession_2"]);
  expect(listCandidates("/help ")).toBeNull();
  expect(listCandidates("/unknown ")).toBeNull();
});

test("in a sentence, services and recent keys are completed once begun", () => {
  expect(listCandidates("post it in sl")).toEqual(["slack"]);
  expect(listCandidates("close (kay-")).toEqual(["KAY-3", "KAY-12"]);
  expect(listCandidates("close ")).toBeNull();
  expect(listCandidates("")).toBeNull();
  expect(listCandidates("sl|ack")).toBeNull();
  expect(listCandidates("sl|, please")).toEqual(["slack"]);
});

test("Tab extends as far as all candidates agree, then offers the choice", () => {
  expect(tab("/con")).toBe("/connect|");
  expect(tab("/connect")).toBeNull();
  expect(tab("/connections")).toBe("/connections |");
  expect(tab("/connect g")).toBe("/connect git|");
  expect(tab("close ka")).toBe("close KAY-|");
  expect(tab("close KAY-1")).toBe("close KAY-12 |");
  expect(tab("sl| now")).toBe("slack| now");
});

test("a chosen candidate replaces the word", () => {
  const draft = draftAt("/connect gi");
  const completion = findCompletion(draft, SOURCES);
  expect(completion && acceptCandidate(draft, completion, { text: "gitlab", note: "" })).toMatchObject({
    text: "/connect gitlab ",
    cursor: 16,
  });
});

test("an external name brings no control characters into the draft, and a fold ends a word", () => {
  const draft = draftAt("x");
  const hostile = findCompletion(draft, { ...SOURCES, words: candidates("x\u001b[31m\ud800y") });
  expect(hostile && extendDraft(draft, hostile)?.text).toBe("x[31my ");
  expect(findCompletion({ ...paste(draftAt("sl"), "x".repeat(2_000)) }, SOURCES)).toBeNull();
});

test("prompts and resources of MCP servers are offered while typing, with the colon in their names", () => {
  const live = (marked: string) => findLiveCompletion(draftAt(marked), SOURCES)?.candidates.map(({ text }) => text);
  expect(live("/everything:a")).toEqual(["/everything:args-prompt"]);
  expect(live("/args")).toEqual(["/everything:args-prompt"]);
  expect(live("/usr/bin")).toBeUndefined();
  expect(live("read @everything:demo")).toEqual(["@everything:demo://resource/1"]);
});

test("places of the services are offered after words of the conversation and a few files, with their notes", () => {
  const files = Array.from({ length: 60 }, (_, index) => ({ text: `@f${index}.md`, note: "file" }));
  const places = [
    { text: "@KAY-3", note: "Typo in help" },
    { text: "@#releases", note: "Releases" },
    { text: "@dana", note: "Dana Demo" },
  ];
  const sources = { ...SOURCES, resources: [], mentions: [{ text: "@KAY-3", note: "" }, ...files], places };
  const live = (text: string) => findLiveCompletion(draftAt(text), sources)?.candidates ?? [];
  expect(live("@").slice(0, 2)).toEqual([{ text: "@KAY-3", note: "Typo in help" }, files[0]]);
  expect(live("@").slice(-2)).toEqual(places.slice(1));
  expect(live("ask @dan")).toEqual([places[2]]);
  expect(live("ask @rel")).toEqual([places[1]]);
  // The title of an issue, and the last name of a person.
  expect([live("@typo"), live("@demo")]).toEqual([[places[0]], [places[2]]]);
  expect(live("@f5").length).toBe(11);
});
