import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell, count, markdownTable } from "../markdown.ts";
import { defineTool } from "../service.ts";
import { apiOf } from "./page.ts";
import { allSpaces, type Space, spaceUrl } from "./spaces.ts";

const Input = z.object({
  name: describe(z.optional(z.string()), "Part of the name or key, to list only spaces that have it."),
  limit: describe(z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(100))), "At most so many; 25."),
});
type Input = z.output<typeof Input>;

/** Source: Confluence Cloud REST v2, GET /wiki/api/v2/spaces. Spaces of single people are shown when they are asked for by name. */
export const listSpaces = defineTool({
  name: "confluence.list_spaces",
  description: "List the Confluence spaces that this account can see, with the keys that other tools take.",
  access: "read",
  input: Input,
  examples: [
    "list confluence spaces",
    "list the spaces in confluence",
    "which spaces are there in confluence",
    "show all confluence spaces",
    "find confluence spaces called {name}",
  ],
  summary: ({ name }: Input) => `List Confluence spaces${name?.trim() ? ` with “${cell(name)}” in their name` : ""}`,
  async run(input, context) {
    const limit = input.limit ?? 25;
    const part = input.name?.trim().toLowerCase() ?? "";
    const matching = (spaces: Space[]) => spaces.filter((space) => isMeant(space, part));
    const { spaces, more } = await allSpaces(context, (some) => matching(some).length > limit);
    const found = matching(spaces);
    const shown = found.slice(0, limit);
    const isMore = more || found.length > limit;
    const { site } = apiOf(context);
    const data = shown.map((space) => ({ id: space.id, key: space.key, name: space.name, url: spaceUrl(space, site) }));
    const text = resultText(data, isMore, part);
    return { data: { spaces: data, more: isMore }, text, url: `${site}/wiki/spaces` };
  },
});

function isMeant({ key, name, type }: Space, part: string): boolean {
  if (part === "") return type !== "personal";
  return name.toLowerCase().includes(part) || key.toLowerCase() === part;
}

function resultText(spaces: { key: string; name: string; url: string }[], more: boolean, part: string): string {
  const words = `${count(spaces.length, "space")}${part ? ` with “${cell(part)}”` : ""}`;
  if (spaces.length === 0) return `No ${words.replace(/^0 /, "")}.`;
  const rows = spaces.map(({ key, name, url }) => [key, name, url]);
  const head = more ? `The first ${words}; there are more:` : `${words}:`;
  return `${head}\n\n${markdownTable(["Key", "Name", "Address"], rows)}`;
}
