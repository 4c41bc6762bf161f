import { join } from "node:path";
import type { Processes } from "#files/processes";
import { getServeRecordName } from "#protocol/embedded";
import { removeRecord, writeRecord } from "./record.ts";
import { type HostOptions, type HostPorts, type RunningHost, startHost } from "./serve.ts";

type Ports = HostPorts & {
  processes: Processes;
  /** The state folder, where the record goes. */
  state: string;
};

/**
 * Start what `kay serve` runs. It leaves a record that only its user can read, so that `kay serve --status` of that user may see more than
 * strangers do. Where it cannot be written, there is none.
 */
export async function startServing(options: HostOptions, ports: Ports): Promise<RunningHost> {
  const { processes, version, log } = ports;
  const { pid } = processes;
  const secret = Buffer.from(ports.random(32)).toString("base64url");
  const host = await startHost({ ...options, operatorSecret: secret }, ports);
  const record = join(ports.state, getServeRecordName(Number(new URL(host.url).port || 80)));
  const started = (await processes.started(pid)) ?? "";
  await writeRecord(record, { pid, started, url: host.url, secret, version, fingerprint: "" }).catch((error: unknown) =>
    log("warn", "record_not_written", { error }),
  );
  return {
    ...host,
    close: async () => {
      await removeRecord(record, pid).catch(() => {});
      await host.close();
    },
  };
}
