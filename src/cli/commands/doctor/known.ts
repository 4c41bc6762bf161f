import { Problem } from "#protocol/errors";
import type { KnownService } from "#protocol/known-services";
import { toLine } from "#ui/text/words";
import { type Finding, fail, ok } from "./check.ts";
import type { CheckContext } from "./context.ts";
import { withPatience } from "./mcp.ts";

/** Whether a known server still answers at its address: the way there from this machine, then the backend's own look at it. Nothing is added. */
export async function inspectAddress(facts: CheckContext, { name, url, docs, client }: KnownService): Promise<Finding> {
  const see = `See ${docs}.`;
  const broken = (await facts.machine.walk(url, facts.signal)).find(({ state }) => state === "failed");
  if (broken) return fail(`${new URL(url).host}: ${broken.message}`, broken.fix ?? see);
  const { api } = await facts.reached();
  const look = async (signal: AbortSignal) => {
    const { service } = await api.describeService({ mcp: { url, name }, dry_run: true }, { signal });
    const { tools, sign_in, base_url } = service;
    const how = client === "client-id" && sign_in === "bearer" ? OWN_CLIENT : SIGN_INS[sign_in];
    return ok(`${toLine(base_url)} answers, ${sign_in === "none" ? `with ${tools.length} tools` : how}.`);
  };
  try {
    const answer = await withPatience(facts, look);
    return answer ?? fail(`${url} did not answer in time.`, see);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // A backend that has only what the guide has adds no servers; the way there is all that can be looked at.
    if (error.code === "NOT_FOUND") return ok(`${new URL(url).host} can be reached.`);
    return fail(error.message, see);
  }
}

const OWN_CLIENT = "and asks for consent with an OAuth client that you register";
const SIGN_INS: Record<string, string> = {
  oauth2: "and asks for consent in the browser",
  bearer: "and asks for an access token, which you paste",
};
