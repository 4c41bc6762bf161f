import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect } from "vitest";
import { parse } from "yaml";
import { runBash, runProgram } from "#test/built/bash";
import { openHome, useHome } from "#test/built/home";
import { connect, serve } from "#test/built/serve";
import { needs } from "#test/needs";

const EXAMPLES = fileURLToPath(new URL("../../docs/examples/", import.meta.url));
const person = useHome();
let backend = "";

beforeAll(async () => {
  backend = (await serve(person())).url;
  person().env.KAY_API_URL = backend;
  await connect(person(), "jira");
}, 90_000);

/** Environment of a CI runner: a fresh account, the repository's settings, and files for the job's output. */
async function runner(secrets: Record<string, string>) {
  const home = openHome({ CI: "true", GITHUB_ACTIONS: "true" });
  const inHome = (name: string) => join(home.folder, name);
  for (const name of ["summary", "output"]) writeFileSync(inHome(name), "");
  const vars: Record<string, string> = { KAY_API_URL: backend };
  const fill = (text: string) =>
    text.replaceAll(
      /\$\{\{ (secrets|vars)\.(\w+) \}\}/g,
      (_, of, name) => (of === "vars" ? vars : secrets)[name] ?? "",
    );
  const run = async (job: Job, variables: Record<string, string>) => {
    const work = join(home.folder, "work");
    mkdirSync(work, { recursive: true });
    const env = { ...home.env, ...variables, GITHUB_STEP_SUMMARY: inHome("summary"), GITHUB_OUTPUT: inHome("output") };
    for (const step of job.steps) {
      // No package is named for the runner, which has kay already.
      if (step.if === "vars.KAY_PACKAGE != ''") continue;
      const ended = await runBash(fill(step.run), { env, cwd: work, options: ["-eo", "pipefail"] });
      if (ended.exit !== 0) return { ...ended, step: step.name };
    }
    return { exit: 0, step: "", stdout: "", stderr: "" };
  };
  const read = (name: string) => readFileSync(inHome(name), "utf8");
  return { run, fill, read };
}

type Job = { steps: { name: string; if?: string; run: string }[]; if?: string };
type Workflow = { env: Record<string, string>; jobs: { report: Job; change: Job } };

const workflow = () => parse(readFileSync(join(EXAMPLES, "triage.yml"), "utf8")) as Workflow;

needs("bash")(
  "the workflow of the documents reports what is open, plans a change, and carries it out in the second job",
  { timeout: 120_000 },
  async () => {
    const { stdout: token } = await person().run(["token", "create", "ci"]);
    const { run, fill, read } = await runner({ KAY_TOKEN: token.trim() });
    const { env, jobs } = workflow();
    const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
    expect(await run(jobs.report, variables)).toMatchObject({ exit: 0, step: "" });
    expect(read("output")).toBe("change=yes\n");
    expect(read("summary")).toMatch(/^9 open issues in KAY:\n/);
    expect(read("summary")).toMatch(/\n- Close KAY-3 \(move it to a status that counts as done\)\n$/);
    expect(await run(jobs.change, variables)).toMatchObject({ exit: 0, step: "" });
    expect(read("summary")).toMatch(/\n- Close KAY-3 \(move .*\)\n- Close KAY-3 \(move .*\): settled\n$/);
    expect((await person().run(["ask", "show KAY-3"])).stdout).toContain("Done");
  },
);

needs("bash")("the workflow says which secret to renew when its token is refused", { timeout: 60_000 }, async () => {
  const { run, fill } = await runner({ KAY_TOKEN: "eyJhbGciOiJIUzI1NiJ9.e30.AAAA" });
  const { env, jobs } = workflow();
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
  expect(await run(jobs.report, variables)).toMatchObject({
    exit: 1,
    step: "Who asks",
    stdout: "::error::Renew the secret KAY_TOKEN, or connect Jira: kay connect jira\n",
  });
});

needs("make", "bash")(
  "the Makefile of the documents makes its reports once, and stops with a sentence where Jira is not connected",
  {
    timeout: 120_000,
  },
  async () => {
    const work = join(person().folder, "reports");
    mkdirSync(work);
    cpSync(join(EXAMPLES, "Makefile"), join(work, "Makefile"));
    const make = (env: Record<string, string>) => runProgram("make", ["--no-print-directory"], { env, cwd: work });
    const stranger = await make({ ...openHome().env, KAY_API_URL: backend });
    expect(stranger).toMatchObject({ exit: 2, stdout: "" });
    expect(stranger.stderr).toMatch(
      /✗ You are not signed in\.\n.*\nConnect Jira first: kay connect jira\nmake: \*\*\* .* Error 4\n/,
    );
    expect(await make(person().env)).toMatchObject({ exit: 0, stderr: "" });
    expect(readFileSync(join(work, "count.txt"), "utf8")).toMatch(/^\d+\n$/);
    expect(readFileSync(join(work, "open.md"), "utf8")).toMatch(/^\d+ open issues in KAY:\n/);
    expect(Object.keys(JSON.parse(readFileSync(join(work, "issues.json"), "utf8")))).toContain("issues");
    const secondResult = await make(person().env);
    expect(secondResult).toMatchObject({ exit: 0, stderr: "" });
  },
);
