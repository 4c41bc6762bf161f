import { hash } from "node:crypto";
import type { Context } from "hono";
import { findRepository, type GithubEnv } from "./access.ts";
import { paginate } from "./paging.ts";
import type { Repository } from "./state.ts";
import { toAccountView, truncateToSecond } from "./views.ts";

type Commit = { sha: string; login: string; message: string; date: string };

/** `GET /repos/{owner}/{repo}/commits`: the first commit, and one for each pull request that was merged. */
export function listCommits(c: Context<GithubEnv>) {
  const repository = findRepository(c);
  const { author = "", since, until } = c.req.query();
  const commits = getCommits(repository)
    .filter(({ login }) => author === "" || login.toLowerCase() === author.toLowerCase())
    .filter(({ date }) => !since || Date.parse(date) >= Date.parse(since))
    .filter(({ date }) => !until || Date.parse(date) <= Date.parse(until));
  return c.json(paginate(c, commits).map((commit) => toCommitView(c, repository, commit)));
}

function getCommits({ owner, name, created_at, pull_requests }: Repository): Commit[] {
  const merged = pull_requests.flatMap(({ number, title, user, merged_at }) =>
    merged_at ? [{ login: user, message: `${title} (#${number})`, date: merged_at }] : [],
  );
  const first = { login: owner, message: "Initial commit", date: created_at };
  return [first, ...merged]
    .map((commit) => ({
      ...commit,
      sha: hash("sha1", `${owner}/${name} ${commit.message}`, "hex"),
    }))
    .sort((a, b) => b.date.localeCompare(a.date));
}

function toCommitView(c: Context<GithubEnv>, { owner, name }: Repository, { sha, login, message, date }: Commit) {
  const user = c.get("world").users.find((one) => one.login === login);
  const person = { name: user?.name ?? login, email: user?.email ?? "", date: truncateToSecond(date) };
  return {
    sha,
    html_url: new URL(`/${owner}/${name}/commit/${sha}`, c.req.url).href,
    commit: { message, author: person, committer: person, comment_count: 0 },
    author: toAccountView(c, login),
    committer: toAccountView(c, login),
    parents: [],
  };
}
