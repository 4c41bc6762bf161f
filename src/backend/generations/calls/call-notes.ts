import type { CheckedCall } from "#agent/calls/checked-call";
import type { Account } from "#connectors/oauth";
import type { CallNotes } from "#protocol/input-fields";
import type { BackendPorts } from "../../ports.ts";
import { listEarlierWrites } from "../../store/writes.ts";
import { describeTarget } from "./late-check.ts";

/**
 * Reads what a call reaches, and which of its destinations are new to this installation, before the user is asked.
 *
 * @param options `mustExist`: whether a target that does not exist is an error
 * @throws Problem the call's own, when the lookup shows that it cannot succeed
 */
export async function readCallNotes(
  ports: Pick<BackendPorts, "db" | "services">,
  installationId: string,
  call: CheckedCall,
  account: Account | undefined,
  options: { mustExist?: boolean } = {},
): Promise<CallNotes> {
  const [target, newDestinations] = await Promise.all([
    describeTarget(call, account, options),
    findNewDestinations(ports, installationId, call),
  ]);
  return {
    ...(target ? { target } : {}),
    ...(newDestinations.length > 0 ? { new_destinations: newDestinations } : {}),
  };
}

/** Maximum number of destinations that are compared. A call with more is unusual enough to be read. */
const MOST = 100;

/** Returns the destinations of a call that no earlier write of this installation reached. */
export async function findNewDestinations(
  { db, services }: Pick<BackendPorts, "db" | "services">,
  installationId: string,
  { tool, parsed, access }: Pick<CheckedCall, "tool" | "parsed" | "access">,
): Promise<string[]> {
  const targets = access === "read" ? [] : [...new Set(tool.destinations?.(parsed) ?? [])].slice(0, MOST);
  if (targets.length === 0) return [];
  const toolsByName = new Map(
    services.flatMap(({ service }) => service.tools.map((candidate) => [candidate.name, candidate])),
  );
  const earlierWrites = await listEarlierWrites(db, installationId, tool.service);
  const reachedNames = new Set(
    earlierWrites.flatMap((write) => [
      tool.service,
      ...(toolsByName.get(write.tool)?.destinations?.(write.input) ?? []),
    ]),
  );
  return targets.filter((name) => !reachedNames.has(name));
}
