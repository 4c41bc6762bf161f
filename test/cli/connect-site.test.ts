import { expect, test } from "vitest";
import { type Machine, parseDocument, useKay } from "#test/kay";
import { asksFor, linkTo } from "#test/links";

const kay = useKay();
const DANA = { accountId: "557058:dana", displayName: "Dana Demo", emailAddress: "dana@example.com" };

/** A machine whose Jira account has two sites. */
async function withTwoSites(): Promise<Machine> {
  const ann = kay();
  const sites = ["other", "main"].map((name) => ({
    name,
    accounts: [DANA.accountId],
    projects: [{ key: "KAY", name: "Kay" }],
  }));
  await ann.place.control("atlassian", "PUT /state", { accounts: [DANA], sites });
  return ann;
}

test("V04 connect in a script with several sites fails with the list, and connects none", async () => {
  const ann = await withTwoSites();
  expect(await ann("connect jira")).toEqual({
    exit: 2,
    stdout: "",
    stderr: `${asksFor("jira")}✗ Choose the Jira site to connect: other, main.\n  For example: kay connect jira --site other\n`,
  });
  await expect.poll(() => ann.stored()).toEqual({});
  const { exit, stdout } = await ann("connect jira --json");
  expect([exit, parseDocument({ stdout })]).toEqual([
    2,
    {
      status: "error",
      error: "SITE_REQUIRED",
      code: "SITE_REQUIRED",
      message: "Choose the Jira site to connect: other, main.",
      reason: "SITE_REQUIRED",
      sites: [
        { name: "other", url: "http://127.0.0.1:4010/sites/other" },
        { name: "main", url: "http://127.0.0.1:4010/sites/main" },
      ],
      hint: "For example: kay connect jira --site other",
    },
  ]);
});

test("V04 connect on a terminal asks by number which of several sites to use", async () => {
  const ann = await withTwoSites();
  const { exit, stdout, stderr } = await ann("connect jira", {
    terminal: true,
    columns: 100,
    types: ["main", "3", "", "2"],
    env: { NO_COLOR: "1" },
  });
  const link = `${linkTo("jira")}There is no display to open a browser on. Open the link manually.\n`;
  expect({ exit, stdout, stderr }).toEqual({
    exit: 0,
    stdout: "Connected jira as Dana Demo (dana@example.com) at http://127.0.0.1:4010/sites/main\n",
    stderr: `${link}Choose the Jira site to connect: other, main.
  1  other  http://127.0.0.1:4010/sites/other
  2  main  http://127.0.0.1:4010/sites/main
Which site (1 to 2)? main
Which site (1 to 2)? 3
Which site (1 to 2)? 
Which site (1 to 2)? 2
${link}`,
  });
});

test("V04 --site chooses the site; it is kept for the next time, and connections shows it", async () => {
  const ann = await withTwoSites();
  const main = "Connected jira as Dana Demo (dana@example.com) at http://127.0.0.1:4010/sites/main\n";
  expect(await ann("connect jira --site main")).toEqual({ exit: 0, stdout: main, stderr: asksFor("jira") });
  expect(await ann("connect jira")).toEqual({ exit: 0, stdout: main, stderr: asksFor("jira") });
  expect((await ann("connections")).stdout.split("\n")[0]).toBe(
    "jira\tconnected\tDana Demo (dana@example.com)\thttp://127.0.0.1:4010/sites/main",
  );
});

test("V04 --site with a site outside the account fails with the available ones", async () => {
  const ann = await withTwoSites();
  expect((await ann("connect jira --site elsewhere")).stderr).toBe(
    `${asksFor("jira")}✗ Choose the Jira site to connect: other, main.\n  For example: kay connect jira --site other\n`,
  );
});
