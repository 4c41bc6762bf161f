import type { ServiceState } from "#agent/instructions";
import type { ServiceConfiguration } from "#connectors/service";
import { toAccount } from "../approvals/account.ts";
import type { Grant } from "../store/grants.ts";

/** Lists the services for the model: whether each is connected, and as which account. */
export function listServiceStates(grants: Grant[], services: ServiceConfiguration[]): ServiceState[] {
  return services.flatMap(({ service: { name, title }, client }): ServiceState[] => {
    const grant = grants.find((each) => each.service === name && each.status === "connected");
    if (grant) return [{ name, title, connected: true, account: toAccount(grant).words }];
    return client ? [{ name, title, connected: false }] : [];
  });
}
