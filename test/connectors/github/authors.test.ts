import { expect, test } from "vitest";
import { useKay } from "#test/kay";

const kay = useKay();

test.each([
  ["my open PRs on github, all repos", /^1 open pull request by you on GitHub:\n[\s\S]*\| #5 \|/],
  ["show my open pull requests", /^1 open pull request by you on GitHub:\n[\s\S]*\| #5 \|/],
])("%s: only those that the user opened", async (request, answer) => {
  const ann = kay({ connected: ["github"], providers: ["github"] });
  expect((await ann(["ask", request])).stdout).toMatch(answer);
});

test("an author works in a repository too", async () => {
  const ann = kay({ connected: ["github"], providers: ["github"] });
  const { stdout } = await ann(
    "tools call github.list_pull_requests --field author=sam-sample --field repository=kay-docs",
  );
  expect(stdout).toMatch(/^1 open pull request by sam-sample in kay-docs:\n[\s\S]*\| #6 \|/);
});
