import { expect, test } from "vitest";
import { createPlaceLoader } from "#cli/session/places";
import type { SessionEvent } from "#ui/session/events";

/** Lists the candidates after `@` at a backend with these tools. */
async function offer(tools: object[], answers: Record<string, unknown>) {
  const offers: string[][] = [];
  const calls: [string, unknown][] = [];
  const api = {
    tools: async () => ({ tools }),
    callTool: async (name: string, input: unknown) => {
      calls.push([name, input]);
      if (!Object.hasOwn(answers, name)) throw new Error(`${name} is down`);
      return { output: { data: answers[name] } };
    },
  };
  const dispatch = (event: SessionEvent) => {
    if (event.type === "sources") offers.push((event.sources.places ?? []).map(({ text, note }) => `${text} ${note}`));
  };
  const clock = { now: () => 0, sleep: async () => {} };
  const kay = { clock, signal: new AbortController().signal } as unknown as Parameters<typeof createPlaceLoader>[0];
  const link = { api } as unknown as Parameters<typeof createPlaceLoader>[1];
  const loader = createPlaceLoader(kay, link, { dispatch, connected: () => ["github"] });
  loader.want();
  loader.want();
  await expect.poll(() => calls.length).toBeGreaterThan(0);
  await new Promise(setImmediate);
  return { shown: offers.at(-1) ?? [], calls };
}

const SEARCH = { name: "github.search", access: "read" };
const ISSUES = { input: { text: "involves:@me" }, list: "results", name: "{repository}#{number}", note: "{title}" };
const PAGES = { input: {}, list: "pages", name: "{title}", note: "{space}" };

test("what a connected tool lists is offered by the name and the note that the tool gives", async () => {
  const tools = [
    { ...SEARCH, mentions: [ISSUES] },
    { name: "confluence.search", access: "read", mentions: [PAGES] },
    { name: "slack@work.list_users", access: "read", connected: false, mentions: [PAGES] },
    { name: "evil.send", access: "write", mentions: [PAGES] },
    { name: "jira.search", access: "read", mentions: [{ ...PAGES, list: "issues" }] },
  ];
  const results = [
    { repository: "acme/widgets", number: 12, title: "Rounding" },
    { repository: "acme/widgets", title: "Without a number" },
    null,
  ];
  const pages = [{ title: "Release notes", space: "DOCS" }, { title: 'A "quoted" title' }, { title: "x\u0007y" }];
  const { shown, calls } = await offer(tools, { "github.search": { results }, "confluence.search": { pages } });
  expect(shown).toEqual(["@acme/widgets#12 Rounding", '@"Release notes" DOCS']);
  expect(calls.map(([name]) => name)).toEqual(["github.search", "confluence.search", "jira.search"]);
  expect(calls[0]?.[1]).toEqual({ text: "involves:@me" });
});
