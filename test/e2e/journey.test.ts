import { expect, onTestFinished } from "vitest";
import { useChromium } from "#test/built/chromium";
import { createBrowser, useHome } from "#test/built/home";
import { openShell, type Shell } from "#test/built/terminal";
import { needs } from "#test/needs";

const test = needs("chromium");
const chromium = useChromium();
const home = useHome();

type Issue = { key: string; status: string };

/** A shell in which `$BROWSER` records the link, and a user who answers in Chromium. */
async function desk(columns: number, rows: number, profile: string) {
  const { program, opened } = createBrowser(home(), profile);
  const env = { ...home().env, BROWSER: program, KAY_PROFILE: profile };
  const shell = await openShell({ columns, rows, env, cwd: home().folder });
  let links = 0;
  const consent = async (button: "Allow" | "Deny") => {
    links += 1;
    const url = await opened(links);
    const page = await chromium.open(url);
    onTestFinished(() => page.context().close());
    await page.getByRole("button", { name: button }).click();
    await page.waitForURL(/\/auth\/callback/);
    return { url, says: (await page.locator("main").textContent()) ?? "" };
  };
  return { shell, consent };
}

const sizes = [
  { columns: 80, rows: 24, issue: "KAY-3" },
  { columns: 40, rows: 12, issue: "KAY-4" },
];

test.for(sizes)(
  "the main job in a terminal of $columns × $rows: connect, look, ask, change with approval, disconnect, sign out",
  { timeout: 120_000 },
  async ({ columns, rows, issue }) => {
    const { shell, consent } = await desk(columns, rows, `wide${columns}`);

    shell.enter("kay connect jira");
    await shell.shows(/Waiting/, 60_000);
    const { url, says } = await consent("Allow");
    expect(says).toMatch(/Jira is connected.*Dana Demo.*You can close this tab and go back to the terminal\./s);
    expect(await shell.exit()).toBe(0);
    expect(findLink(shell)).toBe(url);
    fits(shell, columns);
    expect(shell.text().replaceAll(/\s+/g, " ")).toMatch(
      new RegExp(
        `Connected jira as Dana Demo \\(dana@example\\.com\\) at ${formatSite(url)} in profile wide${columns}$`,
      ),
    );
    expect(shell.isCursorVisible()).toBe(true);

    const table = await shell.run("kay connections");
    expect(table.exit).toBe(0);
    expect(table.shown).toMatch(/^jira( +|\n {2}STATE +)connected\b/m);
    expect(table.shown).toMatch(/^confluence( +|\n {2}STATE +)not connected/m);
    fits(shell, columns);

    const result = await shell.run('kay ask "what is open in project KAY?"');
    expect(result.exit).toBe(0);
    expect(result.shown).toMatch(/^\d+ open issues in KAY:/m);
    expect(result.shown).toMatch(new RegExp(`^${issue}\\b`, "m"));

    shell.enter(`kay ask --confirm "close ${issue}"`);
    await shell.shows(/Continue\? \[y\/N\] $/);
    expect(await readStatus(url, issue)).toBe("To Do");
    shell.type("y\r");
    expect(await shell.exit()).toBe(0);
    expect(shell.text()).toContain(`${issue} is now Done`);
    expect(await readStatus(url, issue)).toBe("Done");

    shell.enter('kay ask --confirm "close KAY-11"');
    await shell.shows(/Continue\? \[y\/N\] $/);
    shell.type("n\r");
    expect(await shell.exit()).toBe(5);
    expect(shell.text()).toMatch(/✗ Nothing was done\.$/);
    expect(await readStatus(url, "KAY-11")).toBe("To Do");

    shell.enter("kay connect confluence");
    await consent("Allow");
    expect(await shell.exit()).toBe(0);
    expect(shell.text()).toMatch(/^Connected confluence as Dana Demo/m);

    const disconnected = await shell.run("kay disconnect confluence --yes");
    expect([disconnected.exit, disconnected.shown.replaceAll(/\s+/g, " ")]).toEqual([
      0,
      "Disconnected confluence. ! kay deleted its tokens for Confluence and did not revoke them: that would end the access of jira too.",
    ]);
    expect((await shell.run("kay whoami")).shown).toMatch(/^jira( +|\n {2}ACCOUNT +)Dana Demo/m);
    // The other terminal of these tests is signed in as the same account.
    expect(await shell.run("kay logout")).toEqual({ exit: 0, shown: expect.stringMatching(/^Signed out\./) });
    const signedOut = await shell.run("kay whoami");
    expect([signedOut.exit, signedOut.shown.replaceAll(/\s+/g, " ")]).toEqual([
      4,
      `✗ You are not signed in to profile wide${columns}. Run \`kay connect <service> --profile wide${columns}\`.`,
    ]);
  },
);

test("Deny in the browser ends the wait at once with exit 5, and nothing is stored", { timeout: 90_000 }, async () => {
  const { shell, consent } = await desk(80, 24, "denied");
  shell.enter("kay connect jira");
  const { says } = await consent("Deny");
  expect(says).toMatch(/Jira was not connected\s+You did not allow it, so nothing was changed\./);
  expect(await shell.exit()).toBe(5);
  expect(shell.text()).toMatch(/\n✗ Access to jira was denied\.\n {2}Run `kay connect jira` to try again\.$/);
  expect((await shell.run("kay whoami")).exit).toBe(4);
});

test("keys typed before the question was shown never answer it", { timeout: 90_000 }, async () => {
  const { shell, consent } = await desk(80, 24, "early");
  shell.enter("kay connect jira");
  const { url } = await consent("Allow");
  expect(await shell.exit()).toBe(0);
  shell.enter('kay ask --confirm "close KAY-5"');
  shell.type("y\ryes\ry\r");
  await shell.shows(/Continue\? \[y\/N\] $/);
  shell.type("no\r");
  expect(await shell.exit()).toBe(5);
  expect(await readStatus(url, "KAY-5")).toBe("To Do");
});

/** The printed link: alone between two empty lines, without other characters. */
function findLink(shell: Shell): string {
  return /\r\n\r\n(https?:[^\r\n]*)\r\n\r\n/.exec(shell.bytes())?.[1] ?? "no link";
}

/** Checks that the terminal itself wrapped no line, except for an address, which must stay whole. */
function fits(shell: Shell, columns: number): void {
  const lines = shell.text().split("\n");
  expect(lines.filter((line) => line.length > columns && !line.includes("://"))).toEqual([]);
}

const formatSite = (url: string) => `${new URL(url).origin}/sites/kay-demo`;

/** The status of an issue in the sandbox itself. */
async function readStatus(url: string, key: string): Promise<string | undefined> {
  const answer = await fetch(`${new URL(url).origin}/_sandbox/state`);
  const issues = findIssues(await answer.json());
  return issues.find((issue) => issue.key === key)?.status;
}

function findIssues(value: unknown): Issue[] {
  if (typeof value !== "object" || value === null) return [];
  if ("key" in value && "status" in value) return [value as Issue];
  return Object.values(value).flatMap(findIssues);
}
