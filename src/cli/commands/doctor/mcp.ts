import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import type { ServiceView } from "#protocol/tools";
import { toLine } from "#ui/text/words";
import { type Check, type Finding, fail, ok, skip, warn } from "./check.ts";
import type { CheckContext } from "./context.ts";

/** Time limit for a server, in ms; shorter than that of the check. */
const PATIENCE_MS = 11_000;

/** Checks every added MCP server: whether it answers or its program starts, and lists the approved tools. */
export const mcpCheck: Check = {
  id: "mcp",
  title: "MCP servers",
  async look(facts) {
    // If the services cannot be loaded, other checks say why.
    const services = await facts.services().catch(() => null);
    const servers = (services ?? []).filter(({ mcp }) => mcp !== undefined);
    if (servers.length === 0) return null;
    const findings = await Promise.all(servers.map((server) => inspectServer(facts, server)));
    const wrong = findings.filter(({ state }) => state !== "ok");
    if (wrong.length === 0) {
      const names = servers.map(({ name }) => toLine(name)).join(", ");
      return ok(`All answer with their approved tools: ${names}.`);
    }
    const state = wrong.some((finding) => finding.state === "failed") ? "failed" : "warning";
    const fixes = new Set(wrong.flatMap(({ fix }) => fix ?? []));
    return { state, detail: wrong.map(({ detail }) => detail).join(" "), fix: [...fixes].join(" ") };
  },
};

/** Inspects one server. Calls no tool. */
export async function inspectServer(facts: CheckContext, service: ServiceView): Promise<Finding> {
  const [title, word] = [toLine(service.title ?? service.name), quoteShellWord(toLine(service.name))];
  if (!service.mcp) return skip("It is not an MCP server.");
  if (!service.connected) return warn(`${title} requires a sign-in.`, `Run \`kay connect ${word}\`.`);
  const { api } = await facts.signedIn();
  try {
    const response = await withPatience(facts, (signal) =>
      api.approveService(service.name, { dry_run: true }, { signal }),
    );
    if (!response) return warnLate(service, word);
    const { outcome, service: now } = response;
    if (outcome !== "unchanged" || service.mcp.changes.length > 0)
      return warn(`${title} changed its tools.`, `Run \`kay services approve ${word}\`.`);
    return ok(
      `${now.mcp?.command === undefined ? "It answers" : "Its program starts"}, with ${now.tools.length} approved tools.`,
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "AUTH_REQUIRED") return warn(error.message, `Run \`kay connect ${word}\`.`);
    return fail(error.message, error.hint || `Check its command or address: \`kay services export ${word}\`.`);
  }
}

/** Limits the time of a server. Returns undefined after the limit. */
export async function withPatience<T>(
  { kay, signal }: CheckContext,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const [patience, finished] = [new AbortController(), new AbortController()];
  kay.clock.sleep(PATIENCE_MS, AbortSignal.any([signal, finished.signal])).then(
    () => patience.abort(),
    () => {},
  );
  try {
    return await work(AbortSignal.any([signal, patience.signal]));
  } catch (error) {
    if (patience.signal.aborted && !signal.aborted) return undefined;
    throw error;
  } finally {
    finished.abort();
  }
}

/**
 * Warns about a slow server. A program may be downloaded at its first start, which takes longer than this check waits.
 */
function warnLate({ title, name, mcp }: ServiceView, word: string): Finding {
  const fault = mcp?.command === undefined ? "did not answer" : "did not start";
  const fix = `Run \`kay services approve ${word} --dry-run\`, which waits longer.`;
  return fail(`${toLine(title ?? name)} ${fault} within ${PATIENCE_MS / 1000} s.`, fix);
}
