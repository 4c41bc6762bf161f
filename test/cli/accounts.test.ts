import { expect, test } from "vitest";
import { documentOf, type Machine, useKay } from "#test/kay";
import { openHost } from "#test/mcp-host";

const kay = useKay();

/** Somebody whose Jira is connected as Dana, and as Sam under the name `work`. */
async function withTwoAccounts(): Promise<Machine> {
  const ann = kay({ connected: ["jira"] });
  const second = await ann("connect jira --as work", {
    person: (url) => ann.place.consent(url, { account: "557058:7c1e93b4-2a68-4f7d-8e40-b5d9a6c31f02" }),
  });
  expect(second).toMatchObject({ exit: 0, stdout: expect.stringContaining("Connected jira@work as Sam") });
  return ann;
}

test("two accounts of a service are two rows, each with its own tools and its own disconnect", async () => {
  const ann = await withTwoAccounts();
  const { connections } = documentOf(await ann("connections --json")) as {
    connections: Record<string, { connected: boolean; user?: { name?: string } }>;
  };
  expect(connections.jira).toMatchObject({ connected: true, user: { name: "Dana Demo" } });
  expect(connections["jira@work"]).toMatchObject({ connected: true, user: { name: expect.stringContaining("Sam") } });
  expect((await ann("tools list --service jira@work")).stdout).toContain("jira@work.get_issue");
  expect((await ann("disconnect jira@work --yes")).exit).toBe(0);
  const { connections: left } = documentOf(await ann("connections --json")) as { connections: object };
  expect(left).toHaveProperty("jira");
  expect(left).not.toHaveProperty("jira@work");
});

test("each tool acts as its account, and a policy limits every account but frees only the one it names", async () => {
  const ann = await withTwoAccounts();
  const text = (service: string) => `seen by ${service}`;
  for (const service of ["jira", "jira@work"]) {
    const fields = ["--field", "issue=KAY-3", "--field", `text=${text(service)}`];
    expect((await ann(["tools", "call", `${service}.add_comment`, ...fields])).exit).toBe(0);
  }
  const { stdout } = await ann("tools call jira.get_issue --field issue=KAY-3");
  expect(stdout).toMatch(/Dana Demo.*seen by jira\b/s);
  expect(stdout).toMatch(/Sam Sample.*seen by jira@work/s);
  const input = JSON.stringify({ issue: "KAY-3", text: "x" });
  const decide = async () => documentOf(await ann(["approvals", "test", "jira@work.add_comment", input, "--json"]));
  await ann("policy set jira everything");
  expect(await decide()).toMatchObject({ asks: true });
  await ann("policy set jira ask");
  expect(await decide()).toMatchObject({ asks: true, why: expect.stringContaining("policy for jira") });
  await ann("policy set jira reads");
  await ann("policy set jira@work everything");
  expect(await decide()).toMatchObject({ asks: true });
});

test("the offline planner uses the account that is named, and asks where none is", async () => {
  const ann = await withTwoAccounts();
  const unclear = await ann(["ask", "show KAY-3"]);
  expect(unclear).toMatchObject({ exit: 1 });
  expect(unclear.stdout + unclear.stderr).toContain("Several accounts of jira are connected: jira, jira@work.");
  const work = await ann(["ask", "what is assigned to me in jira@work?", "--json"]);
  expect(work.exit).toBe(0);
  expect(JSON.stringify(documentOf(work))).toContain("KAY");
});

test("kay mcp lists the tools of an account under names that hosts allow", async () => {
  const host = await openHost(await withTwoAccounts(), { flags: ["--service", "jira@work"] });
  const names = (await host.client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("jira_at_work__get_issue");
  expect(names.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
  expect(await host.call("jira_at_work__get_issue", { issue: "KAY-3" })).toMatchObject({ status: "done" });
});

test("a name that cannot be one of an account is refused before anything is asked", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann("connect jira --as Work!")).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('"Work!" cannot be the name of an account.'),
  });
  expect(await ann("connect jira slack --as work")).toMatchObject({ exit: 2 });
  expect((await ann("connect nope --as work")).stderr).toContain("Unknown service");
});
