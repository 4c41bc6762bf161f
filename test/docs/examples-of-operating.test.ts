import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { createServeCommand } from "#cli/commands/serve/command";
import { TOPICS } from "#cli/help/topics";
import type { Kay } from "#cli/kay";
import { read } from "#test/documents";

type Service = { command?: string[]; environment?: Record<string, string>; healthcheck?: { test: string[] } };

const FLAGS = createServeCommand({} as Kay).options.map(({ long }) => long);
const UNITS = ["docs/examples/kay.service", "docs/examples/kay-serve@.service"];
const compose = parse(read("docs/examples/two-nodes/compose.yml").text, { merge: true }) as {
  services: Record<string, Service>;
  networks?: Record<string, { ipam: { config: { subnet: string }[] } }>;
};
const nodes = ["kay-a", "kay-b"].map((name) => compose.services[name]);

test("the two nodes of the compose file are alike, and have one Postgres and one set of keys", () => {
  expect(nodes[1]).toEqual(nodes[0]);
  expect(nodes[0]?.environment).toMatchObject({
    KAY_KEYS: "/run/secrets/keys",
    DATABASE_URL: expect.stringContaining("@postgres:5432/"),
  });
});

test("every variable and flag of the examples exists", () => {
  const variables = nodes.flatMap((node) => Object.keys(node?.environment ?? {}));
  const units = UNITS.map((unit) => read(unit).text);
  const unitVariables = units.flatMap((text) =>
    [...text.matchAll(/\b((?:KAY|DATABASE)_[A-Z_]+)=/g)].map(([, name = ""]) => name),
  );
  for (const name of [...variables, ...unitVariables]) expect(TOPICS.environment).toMatch(new RegExp(`\\b${name}\\b`));
  const commands = [
    ...nodes.flatMap((node) => [node?.command ?? [], node?.healthcheck?.test ?? []]),
    ...units.map((text) => (/^ExecStart=(.*)$/m.exec(text)?.[1] ?? "").split(" ")),
  ];
  for (const words of commands) {
    expect(words.join(" ")).toContain("kay serve");
    expect(words.filter((word) => word.startsWith("--") && !FLAGS.includes(word))).toEqual([]);
  }
});

test("the proxy asks the nodes of the compose file whether they are ready, by their public name", () => {
  const { text } = read("docs/examples/two-nodes/Caddyfile");
  expect(text).toMatch(/reverse_proxy kay-a:4000 kay-b:4000 \{/);
  expect(text).toMatch(/health_uri \/ready\n/);
  expect(text).toMatch(/Host \{\$KAY_HOST\}/);
});

test("the nodes trust the proxy in front of them, and count the addresses of its users", () => {
  const networks = compose.networks?.default?.ipam.config.map(({ subnet }) => subnet);
  for (const node of nodes) expect(networks).toEqual([node?.environment?.KAY_TRUST_PROXY]);
  for (const unit of UNITS) expect(read(unit).text).toMatch(/^Environment=KAY_TRUST_PROXY=loopback$/m);
});

test("systemd accepts the units", () => {
  const folder = mkdtempSync(join(tmpdir(), "kay-units-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // Some machines do not have it, and nothing else in kay needs it.
  if (!existsSync("/usr/bin/systemd-analyze")) return;
  cpSync("docs/examples/kay.service", join(folder, "kay.service"));
  cpSync("docs/examples/kay-serve@.service", join(folder, "kay-serve@4001.service"));
  for (const unit of ["kay.service", "kay-serve@4001.service"]) {
    const output = execFileSync("systemd-analyze", ["verify", "--man=no", join(folder, unit)], {
      encoding: "utf8",
      stdio: "pipe",
    });
    expect(output).toBe("");
  }
});
