import { expect, test } from "vitest";
import { parseDocument, useKay } from "#test/kay";

const kay = useKay();
const WHERE = "Profile default, backend http://127.0.0.1:4000\n";

test("whoami names the accounts, the profile and the backend", async () => {
  expect(await kay({ connected: ["jira", "bitbucket"] })("whoami")).toEqual({
    exit: 0,
    stdout:
      "jira\tDana Demo (dana@example.com)\thttp://127.0.0.1:4010/sites/kay-demo\nbitbucket\tDana Demo (dana)\thttp://127.0.0.1:4011/kay-demo\n",
    stderr: WHERE,
  });
});

test("whoami without a connection says so", async () => {
  const ann = kay({ signedIn: true });
  await ann("disconnect jira --yes");
  expect(await ann("whoami")).toEqual({
    exit: 0,
    stdout: "",
    stderr: `You are signed in, but no services are connected.\n  Run \`kay connect <service>\` to connect one.\n${WHERE}`,
  });
});

test("whoami --json", async () => {
  const { exit, stdout, stderr } = await kay({ signedIn: true })("whoami --json");
  expect({ exit, document: parseDocument({ stdout }), stderr }).toEqual({
    exit: 0,
    document: {
      profile: "default",
      backend: "http://127.0.0.1:4000",
      session_id: "kaysession_…",
      account_id: "557058:0d4a7e52-6f0b-4c39-9a51-3f2c8f1d0a01",
      accounts: {
        jira: {
          user: expect.objectContaining({ name: "Dana Demo" }),
          metadata: expect.objectContaining({ site: "kay-demo" }),
        },
      },
    },
    stderr: "",
  });
});

test("whoami needs a sign-in", async () => {
  expect(await kay()("whoami")).toEqual({
    exit: 4,
    stdout: "",
    stderr: "✗ You are not signed in.\n  Run `kay connect <service>`.\n",
  });
});
