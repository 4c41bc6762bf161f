import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cruise, type ICruiseResult, type IViolation } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";
import { expect, test } from "vitest";
import rules from "../.dependency-cruiser.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));

test("every room imports only what the table of rooms allows", { timeout: 60_000 }, async () => {
  const { summary, modules } = await examine(root);
  expect(summary.violations.map(formatViolation)).toEqual([]);
  expect(modules.filter(({ source }) => source.startsWith("src/")).length).toBeGreaterThan(100);
  expect(summary.totalDependenciesCruised).toBeGreaterThan(500);
});

test("an import that the table forbids is reported with the rule it breaks", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "kay-rooms-"));
  try {
    const { summary } = await examine(
      fixture(folder, {
        "src/main.ts": `import "#cli/run";`,
        "src/protocol/errors.ts": `import "#client/api"; import * as z from "zod"; export { z };`,
        "src/client/api.ts": `import "commander"; import type { Store } from "#backend/store/store"; export type Api = Store;`,
        "src/process.ts": `export const clock = 1;`,
        "src/cli/run.ts": `import "../client/api.ts"; import "#main"; import "#process"; import "vitest"; import "./nowhere.ts";`,
        "src/backend/store/store.ts": `import { generateText } from "ai"; export type Store = typeof generateText;`,
        "src/backend/tools/toolbox.ts": `import "../generations/run.ts"; import type { UIMessage } from "ai"; export type M = UIMessage;`,
        "src/backend/generations/run.ts": `import type { Work } from "./work.ts"; import "../app.ts"; export type Run = Work;`,
        "src/backend/generations/work.ts": `import type { Run } from "./run.ts"; export type Work = Run | null;`,
        "src/backend/app.ts": `export const app = 1;`,
        "src/connectors/jira/jira.ts": `import "ai"; import "#agent/loop";`,
        "src/agent/loop.ts": `import "ai";`,
      }),
    );
    expect(summary.violations.map(formatViolation).sort()).toEqual([
      "ai|@ai-sdk/(?!otel).+ only in (agent|planner)/: src/connectors/jira/jira.ts → ai",
      "commander only in cli/: src/client/api.ts → commander",
      "imports resolve: src/cli/run.ts → ./nowhere.ts",
      "no cycles: src/backend/generations/run.ts → src/backend/generations/work.ts",
      "no cycles: src/cli/run.ts → src/main.ts",
      "no room sees main.ts: src/cli/run.ts → src/main.ts",
      "only main.ts sees process.ts: src/cli/run.ts → src/process.ts",
      "only types of ai|@ai-sdk/(?!otel).+ in backend/: src/backend/store/store.ts → ai",
      "other rooms are imported by their # names: src/cli/run.ts → src/client/api.ts",
      "src uses no tool: src/cli/run.ts → vitest",
      "src/backend/generations sees only generations, tools, connections, approvals, agent-client, store: src/backend/generations/run.ts → src/backend/app.ts",
      "src/backend/tools sees only tools, connections, approvals, store: src/backend/tools/toolbox.ts → src/backend/generations/run.ts",
      "src/cli sees only cli, protocol, net, files, client, ui, mcp-server: src/cli/run.ts → src/main.ts",
      "src/cli sees only cli, protocol, net, files, client, ui, mcp-server: src/cli/run.ts → src/process.ts",
      "src/client sees only client, protocol, net, files: src/client/api.ts → src/backend/store/store.ts",
      "src/connectors sees only connectors, protocol, net: src/connectors/jira/jira.ts → src/agent/loop.ts",
      "src/protocol sees only protocol: src/protocol/errors.ts → src/client/api.ts",
      "zod is used as zod/mini: src/protocol/errors.ts → zod",
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A broken rule with the import that breaks it; of a package its name only. */
const formatViolation = ({ rule, from, to }: IViolation) =>
  `${rule.name}: ${from} → ${to.replace(/^.*node_modules\/([^/]+).*/, "$1")}`;

/** Reads the sources below a folder as `npm run check` does. */
async function examine(folder: string): Promise<ICruiseResult> {
  const result = await cruise(
    ["src"],
    { ...rules.options, baseDir: folder, ruleSet: { forbidden: rules.forbidden }, validate: true },
    rules.options?.enhancedResolveOptions,
    { tsConfig: extractTSConfig(`${root}tsconfig.json`) },
  );
  if (typeof result.output === "string") throw new Error(result.output);
  return result.output;
}

/** A small separate repository with kay's package.json and packages. */
function fixture(folder: string, files: Record<string, string>): string {
  symlinkSync(`${root}package.json`, join(folder, "package.json"));
  symlinkSync(`${root}node_modules`, join(folder, "node_modules"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
