import type { Link } from "../kay.ts";

const FEATURES = new WeakMap<Link, Promise<string[]>>();

/** What the backend has beyond the guide, asked for once in a run. A backend that has only the guide has nothing. */
export function featuresOf(link: Link): Promise<string[]> {
  const known = FEATURES.get(link);
  if (known) return known;
  const asked = link.api.capabilities().then((found) => found?.features ?? []);
  FEATURES.set(link, asked);
  asked.catch(() => FEATURES.delete(link));
  return asked;
}

/** Whether an agent server elsewhere answers there, from which this client may stream itself. Where nobody says, it is not so. */
export async function hasAgentStream(link: Link): Promise<boolean> {
  return (await featuresOf(link).catch((): string[] => [])).includes("agent_stream");
}
