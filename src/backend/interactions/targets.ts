import type { ServiceConfiguration } from "#connectors/service";
import { cleanLine } from "#protocol/clean";
import { findClosestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";

/**
 * What a policy or a revocation may be about: a service, a tool, or `*`.
 *
 * @param more names that count although no service has them any more
 * @throws Problem INVALID_REQUEST with the nearest name
 */
export function checkTarget(services: ServiceConfiguration[], target: string, more: string[] = []): void {
  const names = services.flatMap(({ service }) => [service.name, ...service.tools.map(({ name }) => name)]);
  if (target === "*" || names.includes(target) || more.includes(target)) return;
  const nearest = getNearest(target.trim().toLowerCase(), names);
  const guess = nearest ? ` Did you mean ${nearest}?` : "";
  const shown = cleanLine(target, 60);
  throw new Problem("INVALID_REQUEST", `There is no service or tool “${shown}”.${guess}`, {
    hint: "Run `kay tools list` to see every service and tool; `*` is all of them.",
    details: { target: shown, ...(nearest ? { nearest } : {}) },
  });
}

/** By the whole name, or by what comes after the service. */
function getNearest(wanted: string, names: string[]): string | undefined {
  if (wanted.length > 60 || names.length === 0) return undefined;
  const ending = names.find((name) => name.endsWith(`.${wanted}`));
  if (ending || names.includes(wanted)) return ending ?? wanted;
  return findClosestName(wanted, names);
}
