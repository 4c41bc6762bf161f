import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProgram } from "#test/built/bash";
import { openHome } from "#test/built/home";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("npm run try in a fresh checkout builds kay and takes the whole tour without a user", {
  timeout: 180_000,
}, async () => {
  const home = openHome();
  const checkout = join(home.folder, "checkout");
  execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${root}`, checkout]);
  symlinkSync(`${root}node_modules`, join(checkout, "node_modules"));
  const { exit, stdout, stderr } = await runProgram("npm", ["run", "--silent", "try"], {
    cwd: checkout,
    env: home.env,
  });
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: expect.stringMatching(/Giving the consent as the sandbox's demo user/),
  });
  expect(stdout).toMatch(/\$ kay connect jira\n✓ Connected jira as Dana Demo/);
  expect(stdout).toMatch(/\$ kay connections\njira\tconnected/);
  expect(stdout).toMatch(/open issues in KAY:\n/);
  expect(stdout).toMatch(/Created KAY-\d+: Say hello from kay/);
});
