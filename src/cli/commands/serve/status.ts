import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { StatusResponse } from "#protocol/status";
import { formatStatus } from "#ui/text/words";
import { EXIT, type ExitCode } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/**
 * Runs `kay serve --status`: prints the state of a backend, one fact per line.
 *
 * @throws Problem UNREACHABLE if none runs, DATABASE_UNAVAILABLE (after the known facts) if its database is away
 */
export async function showBackendStatus(kay: Kay, url: string | undefined): Promise<ExitCode> {
  const status = await kay.backendStatus(url);
  if (kay.flags.json) kay.out.writeJson(status);
  else
    for (const [name, value] of getLines(status))
      kay.out.writeLine(`${name.padEnd(WIDTH)}${clean(value, { lines: false })}`);
  if (status.status === "ok") return EXIT.ok;
  const sentence = `The backend at ${status.url} cannot reach its database.`;
  if (!kay.flags.json) throw new Problem("DATABASE_UNAVAILABLE", sentence, { hint: "" });
  return EXIT.unreachable;
}

const WIDTH = 12;

function getLines(status: StatusResponse): [name: string, value: string][] {
  const { url, version, sandbox, public_url, pid, uptime, model, database, node, nodes, generations, here, memory } =
    status;
  const lines: [string, string | undefined][] = [
    ["backend", `${url} (kay ${version}${pid === undefined ? "" : `, process ${pid}`}${sandbox ? ", sandbox" : ""})`],
    ["public", public_url === url ? undefined : public_url],
    ["up", uptime === undefined ? undefined : formatDuration(uptime)],
    ["model", model],
    [
      "database",
      database && `${database.status === "ok" ? getPlace(database.place) : "away"}, ${getPool(database.connections)}`,
    ],
    ["node", node === undefined ? undefined : `number ${node}; alive: ${nodes}`],
    ["generations", generations && (getOpen(generations) || "none open")],
    ["here", here && `${here.working} running, ${here.followers} followed`],
    [
      "memory",
      memory && `${toMebibytes(memory.rss)} MiB, ${toMebibytes(memory.heap_used)} MiB of it used by JavaScript`,
    ],
  ];
  return lines.flatMap(([name, value]) => (value ? [[name, value] satisfies [string, string]] : []));
}

function getPlace(database: string): string {
  return database === "own" ? "embedded Postgres" : database;
}

function getPool({ open, idle, waiting }: { open: number; idle: number; waiting: number }): string {
  return `connections: ${open} open, ${idle} idle${waiting > 0 ? `, ${waiting} waiting` : ""}`;
}

function getOpen(generations: Record<string, number>): string {
  return Object.entries(generations)
    .map(([status, count]) => `${count} ${formatStatus(status)}`)
    .join(", ");
}

function toMebibytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

/** Formats a duration in its two largest units. */
function formatDuration(seconds: number): string {
  const units = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  const parts = first === -1 ? units.slice(-1) : units.slice(first, first + 2);
  return parts.map(([count, unit]) => `${count} ${unit}`).join(" ");
}
