import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { RefreshStep } from "#client/credentials/refresh";
import { bundleProgram } from "#test/bundled";
import { ORIGIN, openProfile } from "#test/credentials";
import type { Job, Report } from "#test/refresh-worker";

const worker = bundleProgram(new URL("../support/refresh-worker.ts", import.meta.url));
afterAll(worker.remove);

/**
 * A backend with rotation: the last spent refresh token returns the same new pair for 60 s (`grace`), any other ends
 * the sign-in.
 */
async function backend({ grace }: { grace: boolean }) {
  const spent: string[] = [];
  let current = 0;
  const server = createServer(async (request, response) => {
    const { refresh_token } = JSON.parse(await text(request));
    spent.push(refresh_token);
    await wait(300);
    if (refresh_token === `R${current}`) current++;
    else if (!grace || refresh_token !== `R${current - 1}`)
      return response.writeHead(401).end('{"error":"REFRESH_INVALID"}');
    response.end(JSON.stringify({ token: `T${current}`, refresh_token: `R${current}`, message: "ok" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { spent, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Runs one kay process; null if it was killed. `blocks` limits each file that it writes, like a full disk. */
function kay(job: Job, blocks?: number): Promise<Report | null> {
  const line = [process.execPath, worker.path, JSON.stringify(job)];
  const [program = "", ...args] =
    blocks === undefined ? line : ["sh", "-c", `ulimit -f ${blocks}; exec "$0" "$@"`, ...line];
  return new Promise((resolve, reject) => {
    execFile(program, args, (error, stdout, stderr) => {
      if (error?.signal === "SIGKILL") resolve(null);
      else if (error) reject(new Error(stderr));
      else resolve(JSON.parse(stdout));
    });
  });
}

async function openSignedIn() {
  const profile = openProfile();
  await profile.credentials.write(ORIGIN, 0, { session_id: "kaysession_1", token: "T0", refresh_token: "R0" });
  return { ...profile, stored: async () => (await profile.credentials.read(ORIGIN)).signIn };
}

test("A01 twelve processes that are refused at once make one refresh, and all stay signed in", {
  timeout: 60_000,
}, async () => {
  const { spent, url } = await backend({ grace: false });
  const { folder, stored } = await openSignedIn();
  const job: Job = { folder, does: "afterRejection", rejected: "T0", server: url };
  const reports = await Promise.all(Array.from({ length: 12 }, () => kay(job)));
  expect(reports).toEqual(Array.from({ length: 12 }, () => ({ token: "T1", warnings: [] })));
  expect(spent).toEqual(["R0"]);
  expect(await stored()).toMatchObject({ session_id: "kaysession_1", token: "T1", refresh_token: "R1" });
});

const steps: RefreshStep[] = ["locked", "calling", "answered", "writing", "written"];

test.for(steps)(
  "S18 after a kill -9 at the step %s the pair is complete and the next command is signed in",
  { timeout: 30_000 },
  async (stopAt) => {
    const { url } = await backend({ grace: true });
    const { folder, stored } = await openSignedIn();
    const job: Job = { folder, does: "afterRejection", rejected: "T0", server: url };
    expect(await kay({ ...job, stopAt })).toBe(null);
    const { token, refresh_token } = await stored();
    expect([token, refresh_token]).toEqual(stopAt === "written" ? ["T1", "R1"] : ["T0", "R0"]);
    expect(await kay(job)).toEqual({ token: "T1", warnings: [] });
    expect(await stored()).toMatchObject({ token: "T1", refresh_token: "R1" });
  },
);

test("S18 a kill among twelve keeps the sign-in", { timeout: 60_000 }, async () => {
  const { url } = await backend({ grace: true });
  const { folder, stored } = await openSignedIn();
  const job: Job = { folder, does: "afterRejection", rejected: "T0", server: url };
  const jobs = Array.from({ length: 12 }, (_, n): Job => (n % 4 === 0 ? { ...job, stopAt: "writing" } : job));
  const reports = (await Promise.all(jobs.map((job) => kay(job)))).filter((report) => report !== null);
  expect(reports.length).toBeGreaterThanOrEqual(9);
  for (const report of reports) expect(report).toEqual({ token: "T1", warnings: [] });
  expect(await stored()).toMatchObject({ token: "T1", refresh_token: "R1" });
});

test("F2 a disk with room for a lock but not for the new pair does not lose the sign-in", async () => {
  const { spent, url } = await backend({ grace: false });
  const { folder, path, stored } = await openSignedIn();
  const job: Job = { folder, does: "afterRejection", rejected: "T0", server: url };
  expect(await kay(job, 1)).toEqual({
    error: "STORE_UNREADABLE",
    message: `Could not write ${path} (the disk or your quota on it is full, EFBIG).`,
    warnings: [],
  });
  expect([spent, (await stored()).refresh_token]).toEqual([[], "R0"]);
  expect(readdirSync(dirname(path))).toEqual(["default.json"]);
  expect(await kay(job)).toEqual({ token: "T1", warnings: [] });
});
