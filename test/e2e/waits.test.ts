import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runBash } from "#test/built/bash";
import { openHome } from "#test/built/home";
import { until } from "#test/built/processes";
import { openShell } from "#test/built/terminal";
import { fakeBackend } from "#test/fake-backend";
import { SIGN_IN } from "#test/refresh";

const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;

for (const [signal, exit] of SIGNALS) {
  test(`C13 ${signal} during a stream ends it with ${exit}, the request is gone, and the file has only whole characters`, async () => {
    const { url, gone } = await startStreamingBackend();
    const home = openHome({ KAY_API_URL: url });
    await home.signIn(url, SIGN_IN);
    const name = signal.slice(3);
    const script = `kay ask long > f & pid=$!; for i in $(seq 200); do [ -s f ] && break; sleep 0.05; done; kill -s ${name} $pid; wait $pid; echo $?`;
    expect(await runBash(script, { env: home.env, cwd: home.folder })).toMatchObject({ stdout: `${exit}\n` });
    const partial = readFileSync(join(home.folder, "f"), "utf8");
    expect(partial).toMatch(/^The first paragraph: 会議 👩‍💻\.\n/);
    expect(partial).not.toContain("\ufffd");
    await until(gone, "the backend never saw it");
  });

  test(`${signal} while kay waits for stdin ends every such wait with ${exit}, and nothing was sent`, async () => {
    const backend = await fakeBackend();
    const home = openHome({ KAY_API_URL: backend.url });
    await home.signIn(backend.url, SIGN_IN);
    for (const line of ["ask -", "tools call jira.search -", "services add -", "config set model -"]) {
      const running = home.start(line.split(" "), { stdin: "open" });
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      running.child.kill(signal);
      expect({ line, ...(await running.ended) }).toEqual({ line, exit, stdout: "", stderr: "" });
    }
    expect(backend.calls()).toEqual([]);
  });

  test(`${signal} at a question ends it with ${exit}: nothing is done, and the terminal is restored`, async () => {
    const backend = await fakeBackend();
    const home = openHome({ KAY_API_URL: backend.url });
    await home.signIn(backend.url, SIGN_IN);
    backend.always("GET /connections", { json: { connections: { jira: { connected: true } } } });
    const shell = await openShell({ columns: 80, rows: 24, env: home.env, cwd: home.folder, shell: "/bin/bash" });
    const cooked = await shell.run("stty -a");
    shell.enter("echo $BASHPID > pid; exec 3>&1; sh -c 'echo $$ > pid; exec kay disconnect jira'");
    await shell.shows(/\[y\/N\] $/);
    const pid = Number(readFileSync(join(home.folder, "pid"), "utf8"));
    process.kill(pid, signal);
    expect(await shell.exit()).toBe(exit);
    expect(await shell.run("stty -a")).toEqual(cooked);
    expect(backend.calls()).toEqual(["GET /connections"]);
  });
}

/** A backend whose stream stops in the middle of a character, and stays open. */
async function startStreamingBackend() {
  let closed = false;
  const server = createServer((request, response) => {
    if (request.url !== "/ask") return void response.writeHead(200, { "content-type": "application/json" }).end("{}");
    response.on("close", () => {
      closed = true;
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const parts = [
      { type: "start", messageMetadata: { session_id: "session_1", generation_id: "gen_1" } },
      { type: "text-start", id: "t1" },
      { type: "text-delta", id: "t1", delta: "The first paragraph: 会議 👩‍💻.\n\nThe second one: 会" },
    ];
    for (const [time, part] of parts.entries()) response.write(`id: ${time + 1}\ndata: ${JSON.stringify(part)}\n\n`);
    const last = Buffer.from(`id: 4\ndata: ${JSON.stringify({ type: "text-delta", id: "t1", delta: "議" })}`);
    response.write(last.subarray(0, last.indexOf("議") + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, gone: () => closed };
}
