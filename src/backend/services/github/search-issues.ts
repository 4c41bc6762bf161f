import * as z from "zod/mini";
import { Issue } from "#connectors/github/issue";
import type { ToolContext } from "#connectors/service";

const Results = z.looseObject({ total_count: z.number(), items: z.array(Issue) });

/**
 * Issues and pull requests of a query in GitHub's own words, those changed last first. Source:
 * https://docs.github.com/en/rest/search/search, "Search issues and pull requests"
 */
export async function searchIssues(
  { http }: Pick<ToolContext, "http">,
  q: string,
  limit: number,
): Promise<{ issues: Issue[]; total: number }> {
  const query = { q, sort: "updated", order: "desc", per_page: limit };
  const { total_count, items } = await http.request({ path: "/search/issues", query, answer: Results });
  return { issues: items.slice(0, limit), total: total_count };
}
