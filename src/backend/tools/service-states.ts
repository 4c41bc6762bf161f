import type { ServiceState } from "#agent/instructions";
import type { ServiceConfiguration } from "#connectors/service";
import { toAccount } from "../approvals/account.ts";
import type { BackendPorts } from "../ports.ts";
import { listGrants } from "../store/grants.ts";

/** Lists the services that are connected or can be, and as whom, for the model. */
export async function listServiceStates(
  ports: BackendPorts,
  installationId: string,
  services: ServiceConfiguration[],
): Promise<ServiceState[]> {
  const grants = await listGrants(ports.db, installationId);
  return services.flatMap(({ service: { name, title }, client }): ServiceState[] => {
    const grant = grants.find((each) => each.service === name && each.status === "connected");
    if (grant) return [{ name, title, connected: true, account: toAccount(grant).words }];
    return client ? [{ name, title, connected: false }] : [];
  });
}
