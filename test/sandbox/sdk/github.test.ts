import { Octokit } from "@octokit/core";
import { paginateRest } from "@octokit/plugin-paginate-rest";
import { expect, test } from "vitest";
import { catchFailure, serveSandbox } from "./served.ts";

const Client = Octokit.plugin(paginateRest);
const DOCS = { owner: "kay-demo", repo: "kay-docs" };

async function createClient(scope = "repo") {
  const world = await serveSandbox("github");
  const { token } = await world.signIn("github", scope);
  return { octokit: new Client({ auth: token, baseUrl: world.url }), url: world.url };
}

test("Octokit reads issues by the Link header, and search results", async () => {
  const { octokit } = await createClient();
  const pages: number[][] = [];
  const issues = octokit.paginate.iterator("GET /repos/{owner}/{repo}/issues", { ...DOCS, state: "all", per_page: 2 });
  for await (const { data } of issues) pages.push(data.map(({ number }) => number));
  expect(pages.slice(0, -1).every((page) => page.length === 2)).toBe(true);
  expect(new Set(pages.flat()).size).toBe(pages.flat().length);
  expect(pages.flat()).toContain(1);
  const results = await octokit.paginate("GET /search/issues", { q: "repo:kay-demo/kay-docs is:issue", per_page: 1 });
  expect(results.length).toBeGreaterThan(1);
});

test("Octokit creates an issue, comments on it and closes it", async () => {
  const { octokit, url } = await createClient();
  const { status, data } = await octokit.request("POST /repos/{owner}/{repo}/issues", {
    ...DOCS,
    title: "Colours",
    body: "Blue?",
  });
  expect(status).toBe(201);
  expect(data).toMatchObject({ title: "Colours", body: "Blue?", state: "open", user: { login: "dana-demo" } });
  expect(data.html_url).toBe(`${url}/kay-demo/kay-docs/issues/${data.number}`);
  const target = { ...DOCS, issue_number: data.number };
  await octokit.request("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", { ...target, body: "Green" });
  const closed = await octokit.request("PATCH /repos/{owner}/{repo}/issues/{issue_number}", {
    ...target,
    state: "closed",
    state_reason: "completed",
  });
  expect(closed.data).toMatchObject({ state: "closed", state_reason: "completed", comments: 1 });
});

test("Octokit reports missing objects and invalid fields in its own words", async () => {
  const { octokit } = await createClient();
  const missingIssue = octokit.request("GET /repos/{owner}/{repo}/issues/{issue_number}", {
    ...DOCS,
    issue_number: 99,
  });
  expect(await catchFailure(missingIssue)).toMatchObject({
    name: "HttpError",
    status: 404,
    message: "Not Found - https://docs.github.com/rest",
    response: { data: { message: "Not Found", status: "404" } },
  });
  const untitled = octokit.request("POST /repos/{owner}/{repo}/issues", { ...DOCS, title: "" });
  expect(await catchFailure(untitled)).toMatchObject({
    status: 422,
    message: expect.stringMatching(
      /^Validation Failed: \{"resource":"Issue",.*\} - https:\/\/docs\.github\.com\/rest$/,
    ),
  });
});

test("Octokit reviews a pull request, and reads the checks of its commit", async () => {
  const { octokit } = await createClient();
  const { data: pulls } = await octokit.request("GET /repos/{owner}/{repo}/pulls", DOCS);
  const ownPull = pulls.find(({ user }) => user?.login === "dana-demo");
  const otherPull = pulls.find(({ user }) => user?.login === "sam-sample");
  const review = (number = 0, event: "APPROVE" | "COMMENT") =>
    octokit.request("POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews", { ...DOCS, pull_number: number, event });
  expect((await review(otherPull?.number, "APPROVE")).data).toMatchObject({
    state: "APPROVED",
    user: { login: "dana-demo" },
  });
  expect(await catchFailure(review(ownPull?.number, "APPROVE"))).toMatchObject({
    status: 422,
    message: expect.stringContaining("Can not approve your own pull request"),
  });
  expect(await catchFailure(review(otherPull?.number, "COMMENT"))).toMatchObject({ status: 422 });
  const checks = async (ref: string) =>
    (await octokit.request("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", { ...DOCS, ref })).data;
  expect(await checks(ownPull?.head.sha ?? "")).toMatchObject({
    total_count: 2,
    check_runs: [
      { name: "build", status: "completed", conclusion: "success" },
      { name: "links", conclusion: "failure" },
    ],
  });
  expect(await checks("main")).toMatchObject({ check_runs: [{ name: "build" }] });
  const status = await octokit.request("GET /repos/{owner}/{repo}/commits/{ref}/status", { ...DOCS, ref: "main" });
  expect(status.data.statuses).toEqual([]);
});
