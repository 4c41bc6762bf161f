import * as z from "zod/mini";
import { type ListRequest, readPages } from "../http/pages.ts";
import { getQuery, isSameOrigin, toPageRequest } from "../http/target.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatMarkdownTable, formatNoun, toOneLine, truncateText } from "../markup/markdown.ts";
import type { ServiceHttp, ServiceRequest } from "../service-http.ts";
import { withDescription } from "../tool.ts";
import { getWorkspace } from "./pull-request.ts";

const Input = z.object({
  name: withDescription(z.optional(z.string()), "Part of the name, to list only matching repositories."),
});

/** Source: Bitbucket Cloud REST 2.0, "Repositories". */
const Repository = z.looseObject({
  slug: z.string(),
  full_name: z.string(),
  description: z.nullish(z.string()),
  is_private: z.nullish(z.boolean()),
  language: z.nullish(z.string()),
  mainbranch: z.nullish(z.looseObject({ name: z.nullish(z.string()) })),
  updated_on: z.nullish(z.string()),
  links: z.nullish(z.looseObject({ html: z.nullish(z.looseObject({ href: z.nullish(z.string()) })) })),
});
type Repository = z.output<typeof Repository>;

/** Source: GET /2.0/repositories/{workspace}, with Bitbucket's filter language in `q`. */
export const listRepositoriesTool = defineListTool({
  name: "bitbucket.list_repositories",
  description: "List the repositories of the Bitbucket workspace, most recently changed first.",
  input: Input,
  limit: { usual: 25, most: 100 },
  examples: [
    "list bitbucket repositories",
    "list my repositories in bitbucket",
    "which repositories are there in bitbucket",
    "show the bitbucket repos",
    "find bitbucket repositories called {name}",
  ],
  summary: ({ name }) =>
    `List Bitbucket repositories${name?.trim() ? ` with “${escapeCell(name)}” in their name` : ""}`,
  async run(input, context, list) {
    const part = toOneLine(input.name ?? "");
    const request = {
      path: `/2.0/repositories/${encodeURIComponent(getWorkspace(context))}`,
      query: {
        sort: "-updated_on",
        pagelen: Math.min(list.limit, 100),
        ...(part ? { q: `name ~ "${part.replace(/[\\"]/g, "\\$&")}"` } : {}),
      },
      scope: "repository",
    };
    const { values, more } = await readAllPages(context.http, request, Repository, list);
    const data = { repositories: values.map(toRepositoryData), more };
    const { url } = context.metadata;
    const text = formatList(list, {
      count: values.length,
      words: `${formatNoun(values.length, "repository", "repositories")}${part ? ` with “${escapeCell(part)}”` : ""}`,
      more,
      items: () => formatRepositories(values),
    });
    return { data, text, ...(typeof url === "string" ? { url } : {}) };
  },
});

function toRepositoryData(repository: Repository): Record<string, unknown> {
  return {
    repository: repository.full_name,
    description: truncateText(repository.description?.trim() ?? "", 200),
    private: repository.is_private ?? null,
    main_branch: repository.mainbranch?.name ?? null,
    updated: repository.updated_on ?? null,
    url: buildRepositoryUrl(repository),
  };
}

function formatRepositories(list: Repository[]): string {
  const rows = list.map((repository) => [
    repository.slug,
    truncateText(repository.description ?? "", 80),
    repository.language ?? "",
    repository.mainbranch?.name ?? "",
    repository.updated_on?.slice(0, 10) ?? "",
  ]);
  return formatMarkdownTable(["Repository", "About", "Language", "Main branch", "Updated"], rows);
}

function buildRepositoryUrl({ full_name: name, links }: Repository): string {
  return links?.html?.href ?? `https://bitbucket.org/${name.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * Reads a Bitbucket list over its pages, up to a limit. `more` is set if others remain. Only the query of the
 * link to the next page is used, so that a request never leaves the list.
 */
export async function readAllPages<T>(
  http: ServiceHttp,
  request: Omit<ServiceRequest<unknown>, "answer">,
  item: z.ZodMiniType<T>,
  limit: number | ListRequest,
): Promise<{ values: T[]; more: boolean }> {
  const answer = z.looseObject({ values: z.array(item), next: z.nullish(z.string()) });
  const fetchPage = async (query: string | undefined) => {
    const { values, next } = await http.request({ ...toPageRequest(request, query), answer });
    const leaves = next ? !isSameOrigin(next, http.endpoints.api) : false;
    return { items: values, next: leaves ? undefined : getQuery(next), more: leaves };
  };
  const { items, more } = await readPages(fetchPage, limit);
  return { values: items, more };
}
