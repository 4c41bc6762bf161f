import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openHome } from "#test/built/home";
import { serve } from "#test/built/serve";
import { listFaults } from "#test/json-schemas";
import { schemas } from "../../scripts/schemas.ts";

test("the package ships the schemas, and kay help json prints them", async () => {
  const shipped = readdirSync(fileURLToPath(new URL("../../dist/schemas", import.meta.url)));
  const written = await schemas();
  expect(shipped).toEqual(expect.arrayContaining(Object.keys(written)));
  const { exit, stdout } = await openHome().run(["help", "json", "sessions", "list"]);
  expect([exit, JSON.parse(stdout)]).toEqual([0, written["sessions-list.json"]]);
});

test("--jq filters in the built kay, without its environment, and ends an endless expression", async () => {
  const home = openHome();
  const runFilter = (expression: string) => home.run(["config", "path", "--jq", expression], { env: { SECRET: "x" } });
  expect(await runFilter('.path | endswith("config.json"), $ENV')).toMatchObject({ exit: 0, stdout: "true\n{}\n" });
  expect(await runFilter("def f: [f]; f")).toMatchObject({ exit: 1, stdout: "" });
  expect(await runFilter(".[")).toMatchObject({ exit: 2, stdout: "" });
});

test("kay serve --json prints what its schema says", async () => {
  const { running } = await serve(openHome());
  expect(await listFaults("serve", JSON.parse(running.stdout()))).toEqual([]);
});
