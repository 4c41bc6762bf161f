import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { type Home, openHome } from "#test/built/home";
import { end, until } from "#test/built/processes";
import { connect } from "#test/built/serve";

const MOVE = { name: "jira.transition_issue", input: { issue: "KAY-3", status: "Done" } };

/** An agent that starts `kay mcp` as its configuration says: a command, and nothing else. */
async function startHost(home: Home): Promise<{ client: Client; pid: number }> {
  const transport = new StdioClientTransport({ command: "kay", args: ["mcp"], env: home.env, stderr: "ignore" });
  const client = new Client({ name: "codex", version: "1.0.0" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0 };
}

const runJson = async <T>(home: Home, args: string[]) =>
  JSON.parse((await home.run([...args, "--json"], { limitMs: 60_000 })).stdout) as T;

const listPending = async (home: Home) => (await runJson<{ pending: { id: string }[] }>(home, ["pending"])).pending;

test("a host that is killed while a change waits loses nothing: another terminal approves it, once", {
  timeout: 120_000,
}, async () => {
  const home = openHome();
  home.hasDatabase();
  await connect(home, "jira");
  const { client, pid } = await startHost(home);
  const moving = client.callTool({ name: "call_tool", arguments: MOVE }).catch(() => "lost");
  const [open] = await until(async () => {
    const pending = await listPending(home);
    return pending.length > 0 ? pending : undefined;
  }, "The change does not wait.");
  await end(pid, "SIGKILL");
  expect(await moving).toBe("lost");
  expect(await listPending(home)).toEqual([expect.objectContaining({ id: open?.id })]);
  const answer = await home.run(["answer", open?.id ?? "", "--approve"], { limitMs: 60_000 });
  expect(answer).toMatchObject({ exit: 0 });
  expect((await home.run(["answer", open?.id ?? "", "--approve"], { limitMs: 60_000 })).exit).not.toBe(0);
  const { writes } = await runJson<{ writes: { tool: string }[] }>(home, ["log"]);
  expect(writes.filter(({ tool }) => tool === MOVE.name)).toHaveLength(1);
  expect(await runJson(home, ["tools", "call", "jira.get_issue", "--field", "issue=KAY-3"])).toMatchObject({
    status: "Done",
  });
});
