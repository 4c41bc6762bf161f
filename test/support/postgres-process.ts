import { startPostgres } from "#host/postgres/start";
import { thisMachine } from "./machine.ts";

/**
 * A process that starts or joins the Postgres of a data folder, prints `{config, folder}` or `{code, message}` as one
 * line of JSON, and stops it when standard input ends. Run as `node postgres-process.ts <data folder> <folder for
 * root's databases>`.
 */
const [folder = "", systemFolder = ""] = process.argv.slice(2);
const ended = new Promise((resolve) => process.stdin.resume().once("end", resolve));
try {
  const postgres = await startPostgres({
    folder,
    machine: thisMachine(systemFolder),
    log: () => undefined,
  });
  process.stdout.write(`${JSON.stringify({ config: postgres.config, folder: postgres.folder })}\n`);
  await ended;
  await postgres.stop();
} catch (error) {
  process.stdout.write(`${JSON.stringify(error, ["code", "message"])}\n`);
}
