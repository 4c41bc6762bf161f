import * as z from "zod/mini";
import { escapeCell, formatCount, formatMarkdownTable } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { getConfluenceApi } from "./page.ts";
import { buildSpaceUrl, listAllSpaces, type Space } from "./spaces.ts";

const Input = z.object({
  name: withDescription(z.optional(z.string()), "Part of the name or key, to list only matching spaces."),
  limit: withDescription(
    z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(100))),
    "Maximum number of results. Default: 25.",
  ),
});
type Input = z.output<typeof Input>;

/** Source: Confluence Cloud REST v2, GET /wiki/api/v2/spaces. Personal spaces are listed only when searched by name. */
export const listSpacesTool = defineTool({
  name: "confluence.list_spaces",
  description: "List the Confluence spaces that this account can see, with the keys that other tools use.",
  access: "read",
  input: Input,
  examples: [
    "list confluence spaces",
    "list the spaces in confluence",
    "which spaces are there in confluence",
    "show all confluence spaces",
    "find confluence spaces called {name}",
  ],
  summary: ({ name }: Input) =>
    `List Confluence spaces${name?.trim() ? ` with “${escapeCell(name)}” in their name` : ""}`,
  async run(input, context) {
    const limit = input.limit ?? 25;
    const part = input.name?.trim().toLowerCase() ?? "";
    const filterMatching = (spaces: Space[]) => spaces.filter((space) => isMeant(space, part));
    const { spaces, more } = await listAllSpaces(context, (some) => filterMatching(some).length > limit);
    const found = filterMatching(spaces);
    const shown = found.slice(0, limit);
    const isMore = more || found.length > limit;
    const { site } = getConfluenceApi(context);
    const data = shown.map((space) => ({
      id: space.id,
      key: space.key,
      name: space.name,
      url: buildSpaceUrl(space, site),
    }));
    const text = formatResult(data, isMore, part);
    return { data: { spaces: data, more: isMore }, text, url: `${site}/wiki/spaces` };
  },
});

function isMeant({ key, name, type }: Space, part: string): boolean {
  if (part === "") return type !== "personal";
  return name.toLowerCase().includes(part) || key.toLowerCase() === part;
}

function formatResult(spaces: { key: string; name: string; url: string }[], more: boolean, part: string): string {
  const words = `${formatCount(spaces.length, "space")}${part ? ` with “${escapeCell(part)}”` : ""}`;
  if (spaces.length === 0) return `No ${words.replace(/^0 /, "")}.`;
  const rows = spaces.map(({ key, name, url }) => [key, name, url]);
  const head = more ? `The first ${words}; there are more:` : `${words}:`;
  return `${head}\n\n${formatMarkdownTable(["Key", "Name", "Address"], rows)}`;
}
