import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { formatPlace } from "../place.ts";
import { type ToolContext, withDescription } from "../tool.ts";
import { MAX_PAGE_SIZE, readAllPages } from "./paging.ts";

/** A repository as `owner/name`. */
export type Repository = { owner: string; name: string };

/** The field of a tool that names a repository. */
export const REPOSITORY_FIELD = withDescription(z.string(), "Repository as owner/name, or only its name.");

/** Creates the field of a tool for the number of an issue or a pull request. */
export function createNumberField(noun: string) {
  return withDescription(z.coerce.number().check(z.int(), z.minimum(1)), `Number of ${noun}, such as 12.`);
}

/** The place and recipient of a tool that changes something in a repository. */
export const REPOSITORY_TARGET = {
  resource: ({ repository }: { repository: string }) => formatRepositoryPlace(repository),
  destinations: ({ repository }: { repository: string }) => [parseRepositoryPath(repository).toLowerCase()],
};

const Listed = z.looseObject({ full_name: z.string(), name: z.string() });

type Context = Pick<ToolContext, "http" | "metadata">;

/**
 * Finds a repository by `acme/web`, its URL, or its name alone, which is looked up among the account's repositories.
 * Source: https://docs.github.com/en/rest/repos/repos, "List repositories for the authenticated user".
 *
 * @throws Problem INVALID_REQUEST when none or several have that name
 */
export async function findRepository(context: Context, text: string): Promise<Repository> {
  const path = parseRepositoryPath(text);
  const [first = "", second] = path.split("/");
  if (second) return { owner: first, name: second };
  const query = { sort: "pushed", per_page: MAX_PAGE_SIZE };
  const isIt = ({ name }: { name: string }) => name.toLowerCase() === first.toLowerCase();
  const { values } = await readAllPages(context.http, { path: "/user/repos", query, scope: "repo" }, Listed, {
    limit: 10 * MAX_PAGE_SIZE,
  });
  const [only, ...more] = values.filter(isIt);
  const ownRepository = [only, ...more].find(
    (repository) => repository?.full_name.split("/")[0] === context.metadata.login,
  );
  if (only && (more.length === 0 || ownRepository)) return splitFullName((ownRepository ?? only).full_name);
  if (only) {
    const names = [only, ...more].map(({ full_name }) => full_name).join(", ");
    throw new Problem("INVALID_REQUEST", `Several repositories on GitHub are called “${first}”: ${names}.`, {
      hint: "Specify it with its owner.",
    });
  }
  throw new Problem("INVALID_REQUEST", `None of your repositories on GitHub is called “${first}”.`, {
    hint: "Specify it as owner/name.",
  });
}

/** Returns a typed repository without the rest of its URL: `acme/web` or `web`. Also used in summaries. */
export function parseRepositoryPath(text: string): string {
  const path = text
    .trim()
    .replace(/^(https?:\/\/[^/]+\/|git@[^:]+:)/i, "")
    .replace(/\.git$/, "");
  return path.split("/").filter(Boolean).slice(0, 2).join("/");
}

/** Returns the text of an approval for a repository. Repository names are case-insensitive. */
export function formatRepositoryPlace(text: string): string | undefined {
  const path = parseRepositoryPath(text).toLowerCase();
  return formatPlace("in repository", /^[\w.-]+(\/[\w.-]+)?$/.test(path) ? path : undefined);
}

/** Returns the API path of a repository. */
export function buildApiPath({ owner, name }: Repository): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

export function formatFullName({ owner, name }: Repository): string {
  return `${owner}/${name}`;
}

function splitFullName(fullName: string): Repository {
  const [owner = "", name = ""] = fullName.split("/");
  return { owner, name };
}
