import { EMBEDDED_RECORD, getServeRecordName, LOCAL_SECRET_HEADER } from "#protocol/embedded";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { STATUS_PATH, StatusResponse } from "#protocol/status";
import type { EmbeddedPorts } from "./embedded.ts";
import { findRunningRecord, provesIdentity } from "./record.ts";

/** Time limit of a status request in ms; longer than the backend's own wait for its database. */
const TIME_LIMIT_MS = 5_000;

/** Ports of a status request. `token` is KAY_METRICS_TOKEN. */
export type StatusPorts = Pick<EmbeddedPorts, "folder" | "processes" | "send"> & { token: string | undefined };

/**
 * Returns the status of the local backend or of the one at a URL. Callers that can read its record or have the token
 * get all fields; others get those of `GET /health`.
 *
 * @param address base URL (default: the local backend)
 * @throws Problem UNREACHABLE when no backend is running
 */
export async function fetchBackendStatus(ports: StatusPorts, address: string | undefined): Promise<StatusResponse> {
  const record = await findRunningRecord(
    ports,
    address === undefined ? EMBEDDED_RECORD : getServeRecordName(getPort(address)),
  );
  if (address === undefined && !record) throw notRunningProblem("The local backend is not running.");
  const candidate = record && (address === undefined || isSameOrigin(record.url, address)) ? record : undefined;
  const verified =
    candidate && (await provesIdentity(ports.send, candidate).catch(() => false)) ? candidate : undefined;
  const url = candidate?.url ?? address ?? "";
  const key: Record<string, string> = verified
    ? { [LOCAL_SECRET_HEADER]: verified.secret }
    : ports.token
      ? { authorization: `Bearer ${ports.token}` }
      : {};
  const full = await fetchStatus(ports, `${url}${STATUS_PATH}`, key);
  if (full.status === 200) return parseShape(StatusResponse, JSON.parse(full.body), "the status");
  const { status, body } = await fetchStatus(ports, `${url}/health`, {});
  if (status === 503)
    throw new Problem("DATABASE_UNAVAILABLE", `The backend at ${url} cannot reach its database.`, { hint: "" });
  if (status !== 200) throw notRunningProblem(`No working kay backend answers at ${url} (HTTP ${status}).`);
  return parseShape(StatusResponse, { ...JSON.parse(body), url }, "the health");
}

async function fetchStatus({ send }: StatusPorts, url: string, headers: Record<string, string>) {
  return await send({ method: "GET", url, headers, timeoutMs: TIME_LIMIT_MS }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "UNREACHABLE")
      throw notRunningProblem(`No backend answers at ${new URL(url).origin}.`, error);
    throw error;
  });
}

function notRunningProblem(message: string, cause?: unknown): Problem {
  return new Problem("UNREACHABLE", message, {
    hint: "Start one with `kay serve`, or specify another with --port.",
    cause,
  });
}

function getPort(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === "https:" ? 443 : 80);
}

/** Whether two URLs have the same origin. The secret of a record must go only to the process that wrote it. */
function isSameOrigin(record: string, url: string): boolean {
  const names = ["localhost", "127.0.0.1", "[::1]"];
  const [a, b] = [new URL(record), new URL(url)];
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.hostname === b.hostname || (names.includes(a.hostname) && names.includes(b.hostname));
}
