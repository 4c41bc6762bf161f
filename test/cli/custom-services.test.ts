import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Machine, type MachineOptions, parseDocument, useKay } from "#test/kay";
import { paste } from "#test/key-page";
import { TASKS, TASKS_API, TASKS_KEY, tasksService } from "#test/tasks-service";

const kay = useKay();

const ADDED = `Tasks (tasks) at https://tasks.example.com/api/v1
Sign-in: an API key, pasted in the browser

  read         tasks.list_tasks   GET /tasks
  write        tasks.add_task     POST /tasks
  destructive  tasks.delete_task  DELETE /tasks/{task}
`;

test("the documented example is added, connected with a pasted key, used by name and in plain words, and removed", async () => {
  const service = tasksService();
  const ann = machine(service, { signedIn: true });
  expect(await ann("services add tasks.yaml --yes")).toEqual({
    exit: 0,
    stdout: "Added tasks.\n",
    stderr: `${ADDED}Connect it with \`kay connect tasks\`.\n`,
  });
  const connected = await ann("connect tasks", {
    person: (url) => paste(ann.place.backend, url, { secret: TASKS_KEY }),
  });
  expect(connected).toMatchObject({ exit: 0, stdout: `Connected tasks as Ann (ann@example.com) at ${TASKS_API}\n` });
  expect(connected.stderr).toMatch(/^To connect tasks, paste its key at 127\.0\.0\.1:4000:\n/);
  expect((await ann("connections")).stdout).toContain(`tasks\tconnected\tAnn (ann@example.com)\t${TASKS_API}\n`);
  expect((await ann("services")).stdout).toContain(`tasks\tconnected\treal\tAnn (ann@example.com)\t${TASKS_API}\n`);
  expect((await ann("services show tasks")).stdout).toBe(`service\ttasks
title\tTasks
state\tconnected
target\treal
described\tby you
address\t${TASKS_API}
sign-in\tapi_key
account\tAnn (ann@example.com)
site\t${TASKS_API}
tools\ttasks.list_tasks tasks.add_task tasks.delete_task
`);
  expect((await ann("tools list --service tasks")).stdout.split("\n").length).toBe(4);
  expect((await ann("tools show tasks.add_task")).stdout).toContain("Priority, from 1 to 5.");
  expect(await ann("tools call tasks.list_tasks")).toEqual({
    exit: 0,
    stdout: `2 tasks:

| Id | Title | Status | Owner |
| --- | --- | --- | --- |
| T-1 | Water the plants | open | Ann |
| T-2 | Pay \\| the rent | done | Ann |
`,
    stderr: "",
  });
  expect((await ann('ask "list open tasks"')).stdout).toContain("| T-1 | Water the plants | open | Ann |");
  expect(await ann("tools call tasks.add_task --field title=Sing --field priority=2")).toMatchObject({
    exit: 0,
    stdout: "Added the task “Sing” (T-3).\n\nhttps://tasks.example.com/t/T-3\n",
    stderr: "✓ Add the task “Sing”  https://tasks.example.com/t/T-3\n",
  });
  const plan = parseDocument(await ann('ask --confirm --json "add a task called Dance"'));
  const raw: unknown = JSON.parse(ann.raw().stdout);
  expect(plan).toMatchObject({
    status: "confirmation_required",
    data: {
      plan: [
        {
          tool: "tasks.add_task",
          access: "write",
          input: { title: "Dance" },
          summary: "Add the task “Dance”",
        },
      ],
    },
  });
  expect(service.tasks.length).toBe(3);
  const { confirmation_token: token } = raw as { confirmation_token: string };
  expect((await ann(`confirm ${token} --approve`)).stderr).toContain("✓ Add the task “Dance”");
  expect(service.tasks.slice(-2)).toEqual([
    { id: "T-3", status: "open", owner: { name: "Ann" }, title: "Sing", priority: 2, source: "kay" },
    { id: "T-4", status: "open", owner: { name: "Ann" }, title: "Dance", source: "kay" },
  ]);
  expect(parseDocument(await ann('ask --json "delete T-1"'))).toMatchObject({
    status: "pending",
    pending: [
      {
        kind: "approval",
        request: {
          tool_name: "tasks.delete_task",
          preview: { access: "destructive", fields: [{ name: "task", value: "T-1" }] },
        },
      },
    ],
  });
  expect(await ann("services export tasks")).toEqual({ exit: 0, stdout: TASKS, stderr: "" });
  expect((await ann("disconnect tasks --yes")).stdout).toBe("Disconnected tasks.\n");
  expect(await ann("tools call tasks.list_tasks")).toMatchObject({
    exit: 4,
    stderr: expect.stringContaining("Tasks is not connected."),
  });
  expect(parseDocument(await ann('ask --json "list open tasks"'))).toMatchObject({ pending: [{ kind: "auth" }] });
  expect((await ann("pending")).stdout).toMatch(/\tapproval\t.*\n.*\tconnect\tconnect tasks\t/);
  expect(await ann("services remove tasks --yes")).toEqual({ exit: 0, stdout: "Removed tasks.\n", stderr: "" });
  // N46
  expect((await ann("pending")).stdout).toMatch(/^\w+\tapproval\t.*\n$/);
  expect(await ann("services show tasks")).toMatchObject({ exit: 2 });
  expect(new Set(service.seen.map(({ call }) => new URL(call.split(" ")[1] ?? "").origin))).toEqual(
    new Set(["https://tasks.example.com"]),
  );
});

test("a first custom service needs no other: it is added before the first sign-in, and its connection signs in", async () => {
  const ann = machine(tasksService());
  expect((await ann("services add tasks.yaml --yes")).exit).toBe(0);
  const connected = await ann("connect tasks", {
    person: (url) => paste(ann.place.backend, url, { secret: TASKS_KEY }),
  });
  expect(connected).toMatchObject({ exit: 0, stdout: `Connected tasks as Ann (ann@example.com) at ${TASKS_API}\n` });
  expect((await ann("tools call tasks.list_tasks")).exit).toBe(0);
});

test("the local backend accepts a service on this machine", async () => {
  const service = tasksService();
  const ann = machine(service, { own: true });
  file(ann, "local.yaml", TASKS.replace(TASKS_API, "http://127.0.0.1:9999/api"));
  expect((await ann("services add local.yaml --yes")).exit).toBe(0);
});

test("on a terminal kay asks, and adds nothing without approval", async () => {
  const ann = machine(tasksService(), { signedIn: true });
  const no = await ann("services add tasks.yaml", { terminal: true, types: ["n"], env: { NO_COLOR: "1" } });
  expect(no).toEqual({ exit: 5, stdout: "", stderr: `${ADDED}Add tasks? [y/N] n\n✗ Nothing was changed.\n` });
  expect(await ann("services add tasks.yaml")).toMatchObject({ exit: 2, stderr: expect.stringContaining("Use --yes") });
  expect(await ann("services show tasks")).toMatchObject({ exit: 2 });
});

test("a dry run and stdin show what would be added, and add nothing", async () => {
  const ann = machine(tasksService(), { signedIn: true });
  const look = await ann("services add - --dry-run", { stdin: TASKS });
  expect(look).toEqual({ exit: 0, stdout: "", stderr: `${ADDED}Nothing was changed: this was a dry run.\n` });
  expect(parseDocument(await ann("services add tasks.yaml --dry-run --json"))).toMatchObject({
    outcome: "added",
    dry_run: true,
  });
  expect(await ann("services export tasks")).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining("You have none."),
  });
});

test("a replaced service shows its changes; the same one again changes nothing", async () => {
  const ann = machine(tasksService(), { signedIn: true });
  await ann("services add tasks.yaml --yes");
  expect((await ann("services add tasks.yaml --yes")).stderr).toContain("tasks was already added and did not change.");
  file(
    ann,
    "tasks.yaml",
    TASKS.replace(TASKS_API, "https://other.example.com").replace("Add a task.", "Add one task."),
  );
  expect(await ann("services add tasks.yaml --yes")).toMatchObject({
    stdout: "Replaced tasks.\n",
    stderr: expect.stringContaining(`! It moves from ${TASKS_API} to https://other.example.com.
! kay deletes its sign-in and its saved approvals. Connect it again.
! Changed: tasks.add_task.
`),
  });
});

test("every error of a file is reported with its key and line, and unusable files in one sentence", async () => {
  const ann = machine(tasksService(), { signedIn: true });
  file(ann, "wrong.yaml", "name: jira\ntitel: Tasks\nbase_url: ftp://x\nauth: { type: none }\ntools: []\n");
  expect(await ann("services add wrong.yaml --yes")).toEqual({
    exit: 2,
    stdout: "",
    stderr: `✗ wrong.yaml: titel is unknown (line 2). Did you mean title?
  base_url must be a URL that begins with https:// and has no {slots} (line 3).
  tools must have at least 1 (line 5).
`,
  });
  expect((await ann("services add nowhere.yaml --yes")).stderr).toMatch(/^✗ Could not read nowhere\.yaml \(ENOENT\)\./);
  expect((await ann("services add . --yes")).stderr).toMatch(/^✗ Could not read \. \(it is a folder\)\./);
  file(ann, "huge.yaml", `name: ${"x".repeat(300 * 1024)}`);
  expect((await ann("services add huge.yaml --yes")).stderr).toMatch(/^✗ huge\.yaml is larger than 256 KiB\./);
});

/** A machine with the example's file, whose service is simulated. */
function machine(service: ReturnType<typeof tasksService>, options: MachineOptions = {}): Machine {
  const ann = kay({ elsewhere: service.fetch, ...options });
  file(ann, "tasks.yaml", TASKS);
  return ann;
}

function file(ann: Machine, name: string, text: string): void {
  writeFileSync(join(ann.folder, name), text);
}
