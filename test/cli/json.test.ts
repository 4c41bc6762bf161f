import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Keychain } from "#client/credentials/keychain";
import { toKeychainProblem } from "#client/credentials/keychain";
import { type Machine, parseDocument, useKay } from "#test/kay";

const kay = useKay();

/** A keychain that cannot store anything. */
function noKeychain(): Keychain {
  const refuse = async () => {
    throw toKeychainProblem({ state: "no-bus" });
  };
  return { check: async () => ({ state: "no-bus" }), get: refuse, set: refuse, delete: refuse };
}

/** Leaves half a settings file, as after a crash. */
function damageSettings(ann: Machine): void {
  mkdirSync(join(ann.folder, "kay"), { recursive: true });
  writeFileSync(join(ann.folder, "kay", "config.json"), '{"profiles": {"default"');
}

const DAMAGED = expect.stringMatching(
  /^The settings file was damaged\. A copy was saved as \/home\/ann\/kay\/config\.json\.corrupt-/,
);

test("C15 warnings are inside the document if stderr is not a terminal, so that 2>&1 stays parseable", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  ann.place.clock.advance(31 * 60_000);
  damageSettings(ann);
  const result = await ann("connections --json");
  expect({ ...result, stdout: parseDocument(result) }).toEqual({
    exit: 0,
    stdout: { connections: expect.objectContaining({ jira: expect.anything() }), warnings: [DAMAGED] },
    stderr: "",
  });
  expect(ann.place.network.calls()).toEqual(["GET /connections", "POST /auth/refresh", "GET /connections"]);
  expect(ann.raw().both).toBe(ann.raw().stdout);
});

test("warnings are on stderr if that is a terminal, and stdout is still one document", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  damageSettings(ann);
  const { stdout, stderr } = await ann("connections --json", { terminal: ["stderr"], env: { NO_COLOR: "1" } });
  expect(parseDocument({ stdout })).toEqual({ connections: expect.anything() });
  expect(stderr).toMatch(/^! The settings file was damaged\..*\n( {2}.*\n)*$/);
});

test("C04 connect --json with a reset session and no keychain is one document with both warnings", async () => {
  const ann = kay({ keychain: noKeychain() });
  await ann.store({ session_id: `kaysession_1_${"0".repeat(32)}` });
  const { exit, stdout } = await ann("connect jira --json");
  expect([exit, parseDocument({ stdout })]).toEqual([
    0,
    expect.objectContaining({
      connected: true,
      warnings: [expect.stringMatching(/^The backend did not recognize this installation/)],
    }),
  ]);
});

test("S02 without a keychain the sign-in is stored in a file, which kay says once", async () => {
  const ann = kay({ keychain: noKeychain() });
  const { exit, stdout } = await ann("connect jira --json");
  expect([exit, parseDocument({ stdout })]).toEqual([
    0,
    expect.objectContaining({
      warnings: [
        expect.stringMatching(
          /^No D-Bus session bus is available.* stored in a plain file instead, which only you can read/,
        ),
      ],
    }),
  ]);
  expect(parseDocument(await ann("connections --check jira --json"))).toMatchObject({
    service: "jira",
    connected: true,
  });
  expect(parseDocument(await ann("connections --json"))).toEqual({ connections: expect.anything() });
});

test.for([
  ["whoami --json", "NOT_SIGNED_IN", 4],
  ["ask x --json", "NOT_SIGNED_IN", 4],
  ["ask --json", "USAGE", 2],
  ["ask --json --confim x", "USAGE", 2],
  ["config get modle --json", "USAGE", 2],
  ["disconnect --json", "USAGE", 2],
  ["conect jira --json", "USAGE", 2],
  ["connect pigeons --json", "UNKNOWN_SERVICE", 2],
  ["--json", "USAGE", 2],
  ["config --json", "USAGE", 2],
] as const)("C04 a failure is one document too, with the message on stderr: %s", async ([line, code, exit]) => {
  const result = await kay()(line);
  const document = parseDocument(result) as { message: string; hint: string };
  expect([result.exit, document]).toEqual([
    exit,
    expect.objectContaining({
      status: "error",
      error: code,
      code,
      message: expect.any(String),
      hint: expect.any(String),
    }),
  ]);
  expect(result.stderr).toBe(`✗ ${document.message}\n${document.hint ? `  ${document.hint}\n` : ""}`);
});

test("C04 only the document is on stdout in CI too, without color", async () => {
  const ann = kay({ signedIn: true, env: { CI: "true", TERM: "xterm-256color" } });
  for (const line of [
    "connections --json",
    'ask --json "show KAY-3"',
    "connect bitbucket --json",
    "whoami --json",
    "logout --json",
  ]) {
    const { stdout, stderr } = await ann(line);
    parseDocument({ stdout });
    expect(stdout + stderr).not.toContain("\u001b");
  }
});
