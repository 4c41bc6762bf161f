import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { catchFailure, serveSandbox } from "./served.ts";

// Required, not imported: its own types do not compile in a project of ES modules.
const require = createRequire(import.meta.url);
const { Bitbucket } = require("bitbucket");

const CLI = { workspace: "kay-demo", repo_slug: "kay-cli" };

async function createClient(scope = "account repository pullrequest:write") {
  const world = await serveSandbox("bitbucket");
  const { token } = await world.signIn("bitbucket", scope);
  return new Bitbucket({ auth: { token }, baseUrl: `${world.url}/2.0`, notice: false });
}

test("bitbucket reads pull requests page by page, forward and back", async () => {
  const bitbucket = await createClient();
  const first = (await bitbucket.pullrequests.list({ ...CLI, pagelen: 1 })).data;
  expect([bitbucket.hasNextPage(first), bitbucket.hasPreviousPage(first)]).toEqual([true, false]);
  const second = (await bitbucket.getNextPage(first)).data;
  expect(second).toMatchObject({ page: 2, pagelen: 1, size: first.size });
  expect(second.values?.[0]?.id).not.toBe(first.values?.[0]?.id);
  expect((await bitbucket.getPreviousPage(second)).data.values).toEqual(first.values);
});

test("bitbucket creates a pull request, comments on it and declines it", async () => {
  const bitbucket = await createClient();
  const _body = {
    type: "pullrequest",
    title: "Colours",
    source: { branch: { name: "KAY-3-help-typo" } },
    destination: { branch: { name: "main" } },
  };
  const pull = await bitbucket.pullrequests.create({ ...CLI, _body });
  expect([pull.status, pull.data.title, pull.data.state]).toEqual([201, "Colours", "OPEN"]);
  const target = { ...CLI, pull_request_id: pull.data.id ?? 0 };
  const content = { raw: "Blue?" };
  const comment = await bitbucket.pullrequests.createComment({
    ...target,
    _body: { type: "pullrequest_comment", content },
  });
  expect(comment.data).toMatchObject({ type: "pullrequest_comment", content });
  expect((await bitbucket.pullrequests.decline(target)).data.state).toBe("DECLINED");
});

test("bitbucket reports a missing repository and a missing scope", async () => {
  const bitbucket = await createClient();
  expect(await catchFailure(bitbucket.repositories.get({ ...CLI, repo_slug: "nothing" }))).toMatchObject({
    name: "HTTPError",
    status: 404,
    error: { type: "error", error: { message: expect.stringContaining("You may not have access") } },
  });
  const little = await createClient("account");
  expect(await catchFailure(little.pullrequests.list(CLI))).toMatchObject({
    status: 403,
    error: { error: { detail: { required: ["pullrequest"] } } },
  });
});
