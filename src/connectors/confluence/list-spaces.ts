import * as z from "zod/mini";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatMarkdownTable, formatNoun } from "../markup/markdown.ts";
import { withDescription } from "../tool.ts";
import { getConfluenceApi } from "./page.ts";
import { buildSpaceUrl, listAllSpaces, type Space } from "./spaces.ts";

const Input = z.object({
  name: withDescription(z.optional(z.string()), "Part of the name or key, to list only matching spaces."),
});

/** Source: Confluence Cloud REST v2, GET /wiki/api/v2/spaces. Personal spaces are listed only when searched by name. */
export const listSpacesTool = defineListTool({
  name: "confluence.list_spaces",
  description: "List the Confluence spaces that this account can see, with the keys that other tools use.",
  input: Input,
  limit: { usual: 25, most: 100 },
  examples: [
    "list confluence spaces",
    "list the spaces in confluence",
    "which spaces are there in confluence",
    "show all confluence spaces",
    "find confluence spaces called {name}",
  ],
  summary: ({ name }) => `List Confluence spaces${name?.trim() ? ` with “${escapeCell(name)}” in their name` : ""}`,
  async run(input, context, list) {
    const part = input.name?.trim().toLowerCase() ?? "";
    const { spaces, more } = await listAllSpaces(context, list, (space) => isMeant(space, part));
    const { site } = getConfluenceApi(context);
    const data = spaces.map((space) => ({
      id: space.id,
      key: space.key,
      name: space.name,
      url: buildSpaceUrl(space, site),
    }));
    const text = formatList(list, {
      count: data.length,
      words: `${formatNoun(data.length, "space")}${part ? ` with “${escapeCell(part)}”` : ""}`,
      more,
      items: () =>
        formatMarkdownTable(
          ["Key", "Name", "Address"],
          data.map(({ key, name, url }) => [key, name, url]),
        ),
    });
    return { data: { spaces: data, more }, text, url: `${site}/wiki/spaces` };
  },
});

function isMeant({ key, name, type }: Space, part: string): boolean {
  if (part === "") return type !== "personal";
  return name.toLowerCase().includes(part) || key.toLowerCase() === part;
}
