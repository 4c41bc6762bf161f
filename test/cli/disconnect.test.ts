import { expect, test } from "vitest";
import { parseDocument, useKay } from "#test/kay";

const kay = useKay();

test("disconnect asks on a terminal, and y confirms it", async () => {
  // Confluence has the same account, so Jira's access stays.
  const ann = kay({ connected: ["jira", "confluence", "bitbucket"] });
  expect(await ann("disconnect jira bitbucket", { terminal: true, types: ["y"], env: { NO_COLOR: "1" } })).toEqual({
    exit: 0,
    stdout: "Disconnected jira.\nDisconnected bitbucket.\n",
    stderr:
      "Disconnect jira, bitbucket? [y/N] y\n" +
      "! kay deleted its tokens for Jira and did not revoke them: that would end the\n" +
      "  access of confluence too.\n" +
      "! kay deleted its tokens, but Bitbucket has no way to revoke them. Remove kay's\n" +
      "  access at https://bitbucket.org/account/settings/app-authorizations/.\n",
  });
  expect(await ann("connections --check jira")).toMatchObject({ exit: 4 });
});

test.for([["n"], [""], ["yeah"], [null]])("disconnect does nothing when the answer is %o", async ([answer = null]) => {
  const ann = kay({ signedIn: true });
  expect(await ann("disconnect jira", { terminal: true, types: [answer], env: { NO_COLOR: "1" } })).toEqual({
    exit: 5,
    stdout: "",
    stderr: `Disconnect jira? [y/N] ${answer ?? ""}\n✗ No service was disconnected.\n`,
  });
  expect(await ann("connections --check jira")).toMatchObject({ exit: 0 });
});

test.for([
  ["disconnect jira", {}, "this is not a terminal"],
  ["disconnect jira --no-input", { terminal: true, env: { NO_COLOR: "1" } }, "--no-input is set"],
  ["disconnect jira", { terminal: true, env: { CI: "1", NO_COLOR: "1" } }, "this is CI"],
  ["disconnect jira", { terminal: true, env: { GITHUB_ACTIONS: "true", NO_COLOR: "1" } }, "this is CI"],
] as const)("C08 %s with %o names --yes instead of asking", async ([line, setting, reason]) => {
  const ann = kay({ signedIn: true });
  expect(await ann(line, setting)).toEqual({
    exit: 2,
    stdout: "",
    stderr: `✗ Disconnect jira? Cannot prompt: ${reason}.\n  Use --yes.\n`,
  });
  expect(await ann("connections --check jira")).toMatchObject({ exit: 0 });
});

test("disconnect --yes does not ask; --json prints the backend's answer", async () => {
  const ann = kay({ connected: ["jira", "confluence", "bitbucket"] });
  expect(await ann("disconnect jira --yes")).toEqual({
    exit: 0,
    stdout: "Disconnected jira.\n",
    stderr: "! kay deleted its tokens for Jira and did not revoke them: that would end the access of confluence too.\n",
  });
  expect(parseDocument(await ann("disconnect confluence -y --json"))).toMatchObject({
    service: "confluence",
    connected: false,
  });
  expect(parseDocument(await ann("disconnect jira bitbucket --yes --json"))).toEqual({
    disconnected: [
      expect.objectContaining({ service: "jira", connected: false }),
      expect.objectContaining({ service: "bitbucket", connected: false }),
    ],
  });
});

test("N26 disconnect of a service that is not connected says so, without a prompt", async () => {
  const ann = kay({ connected: ["bitbucket"] });
  expect(await ann("disconnect jira")).toEqual({ exit: 0, stdout: "jira was not connected.\n", stderr: "" });
  expect(await ann("disconnect bitbucket bitbucket slack --yes")).toMatchObject({
    exit: 0,
    stdout: "Disconnected bitbucket.\nslack was not connected.\n",
  });
  expect(parseDocument(await ann("disconnect slack --json"))).toMatchObject({ service: "slack", connected: false });
});

test("disconnect with an unknown service disconnects none of the named ones", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann("disconnect jira conflunce --yes")).toEqual({
    exit: 2,
    stdout: "",
    stderr:
      '✗ Unknown service "conflunce". Did you mean confluence? The services are jira, confluence, bitbucket, slack, github, gmail, google-calendar, google-docs, google-sheets, google-drive, notion, airtable, hubspot, linkedin, kyg.\n  Run `kay connections` to see every service.\n',
  });
  expect(await ann("connections --check jira")).toMatchObject({ exit: 0 });
});

test("disconnect needs a sign-in and a service", async () => {
  const ann = kay();
  expect(await ann("disconnect jira --yes")).toMatchObject({ exit: 4 });
  expect(await ann("disconnect")).toEqual({
    exit: 2,
    stdout: "",
    stderr: "✗ Missing required argument 'service'.\n  Run `kay help disconnect`.\n",
  });
});
