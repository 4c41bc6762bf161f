import { expect, onTestFinished, test } from "vitest";
import { type Home, openHome } from "#test/built/home";
import { until } from "#test/built/processes";
import { connect } from "#test/built/serve";
import { openShell } from "#test/built/terminal";
import { openProgram } from "#test/mcp-program";
import { type Cluster, openCluster } from "#test/nodes/cluster";

const move = (issue: string) => ({ name: "jira.transition_issue", input: { issue, status: "Done" } });

/** The user at a real terminal: types the page's code, reads what kay shows, confirms, and opens the link. */
async function letIn(home: Home, code: string): Promise<string> {
  const shell = await openShell({ columns: 80, rows: 24, env: home.env, cwd: home.folder });
  shell.enter(`kay mcp authorize ${code}`);
  await shell.shows(/A program that calls itself “Claude Code”[\s\S]*Let it use kay\? \[y\/N\]/, 60_000);
  shell.type("y\r");
  const [, link = ""] = await shell.shows(/(http:\S+\/mcp\/authorize\/[\w-]{43})/, 60_000);
  return link;
}

const runJson = async <T>(home: Home, args: string[]) =>
  JSON.parse((await home.run([...args, "--json"], { limitMs: 60_000 })).stdout) as T;

async function waitForPending(home: Home): Promise<string> {
  const look = async () => (await runJson<{ pending: { id: string }[] }>(home, ["pending"])).pending[0]?.id;
  return await until(look, "The change does not wait.", 60_000);
}

/** The writes of a tool to an issue, by their states. */
async function listWrites(home: Home, issue: string) {
  const { writes } = await runJson<{ writes: { summary: string; state: string }[] }>(home, ["log"]);
  return writes.filter(({ summary }) => summary.includes(issue)).map(({ state }) => state);
}

/**
 * Sends requests to the balancer's address to one node, as if the balancer had chosen it, and to the other one if it is
 * gone.
 */
function fetchFrom({ nodes, balancer }: Cluster, first: "a" | "b") {
  const [own, other] = first === "a" ? nodes : nodes.toReversed();
  const route = (url: string | URL, node = own) => String(url).replace(balancer.url, node?.url ?? "");
  return async (url: string | URL, init?: RequestInit) => {
    const alive = await fetch(`${own?.url}/health`).then(
      () => own,
      () => other,
    );
    return await fetch(route(url, alive), init);
  };
}

test("two nodes: a node is killed while a program's change waits, another terminal approves it, and it happens once", {
  timeout: 240_000,
}, async () => {
  const cluster = await openCluster({ fsync: "off", synchronous_commit: "off" });
  onTestFinished(cluster.close, 60_000);
  const { balancer, nodes } = cluster;
  const home = openHome({ KAY_API_URL: balancer.url });
  await connect(home, "jira");
  const options = { origin: balancer.url, letIn: (code: string) => letIn(home, code) };

  // Without dialogs: its connection breaks, and it reads the outcome at the other node.
  const plain = await openProgram({ ...options, fetch: fetchFrom(cluster, "a") });
  const moving = plain.call("call_tool", move("KAY-3")).catch(() => "lost");
  const first = await waitForPending(home);
  await nodes[0]?.end("SIGKILL");
  expect(await moving).toBe("lost");
  expect(await home.run(["answer", first, "--approve"], { limitMs: 60_000 })).toMatchObject({ exit: 0 });
  expect((await home.run(["answer", first, "--approve"], { limitMs: 60_000 })).exit).not.toBe(0);
  await expect.poll(() => listWrites(home, "KAY-3"), { timeout: 30_000 }).toEqual(["done"]);
  await plain.reconnect();
  expect(await plain.call("call_tool", { name: "jira.get_issue", input: { issue: "KAY-3" } })).toMatchObject({
    result: { status: "Done" },
  });
  await nodes[0]?.start();

  // With links: the node ends while the user is at the page, and the program continues at the other one.
  const links: (string | undefined)[] = [];
  const answers = async (_message: string, url?: string) => {
    links.push(url);
    const second = await waitForPending(home);
    await nodes[0]?.end("SIGKILL");
    expect(await home.run(["answer", second, "--approve"], { limitMs: 60_000 })).toMatchObject({ exit: 0 });
    return { action: "accept" };
  };
  const capabilities = { elicitation: { url: {} } };
  const modern = await openProgram({
    ...options,
    era: "modern",
    capabilities,
    answers,
    fetch: fetchFrom(cluster, "a"),
  });
  expect(await modern.call("call_tool", move("KAY-1"))).toMatchObject({ status: "done" });
  expect(links).toHaveLength(1);
  expect(await listWrites(home, "KAY-1")).toEqual(["done"]);

  const { programs } = await runJson<{ programs: { name: string }[] }>(home, ["mcp", "list"]);
  expect(programs.map(({ name }) => name)).toEqual(["Claude Code", "Claude Code"]);
});
