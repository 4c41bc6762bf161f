import type { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { checkAllowEntries } from "../approvals/allow-list.ts";
import { listServices } from "../connections/catalog.ts";
import type { BackendPorts } from "../ports.ts";

/**
 * Whether what a request allows or forbids makes sense, before anything is done for it.
 *
 * @throws Problem INVALID_REQUEST for an entry of `allow` that is of no tool, and for what contradicts itself
 */
export async function checkAllowList(
  ports: BackendPorts,
  installationId: string,
  { confirm, dry_run, allow = [] }: Pick<AskRequest, "confirm" | "dry_run" | "allow">,
): Promise<void> {
  const field = dry_run ? "dry_run" : "allow";
  if (confirm && (dry_run || allow.length > 0))
    throw new Problem("INVALID_REQUEST", `confirm asks before anything is done, and ${field} never asks.`, {
      details: { field },
    });
  if (allow.length > 0) checkAllowEntries(await listServices(ports, installationId), allow);
}
