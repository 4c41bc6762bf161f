import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import type { ServiceView, ToolView } from "#protocol/tools";
import { toLine } from "#ui/text/words";
import { type Finding, fail, ok, skip } from "../commands/doctor/check.ts";
import type { CheckContext } from "../commands/doctor/context.ts";

/** The service's token, tried by a tool that only reads and needs nothing to be said. */
export async function testReadTool(facts: CheckContext, service: ServiceView): Promise<Finding> {
  const { api } = await facts.signedIn();
  const { signal } = facts;
  const offered = await api.tools({ service: service.name, signal });
  if (!offered) return skip("This backend does not say what can be done.");
  const [tool] = offered.tools.filter(isHarmless).sort((a, b) => rank(a) - rank(b));
  if (!tool) return skip("It has no tool that only reads and needs no input.");
  const began = facts.kay.clock.now();
  try {
    await api.callTool(tool.name, {}, { signal });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const connect = `Run \`kay connect ${quoteShellWord(toLine(service.name))}\`.`;
    return fail(`${toLine(tool.name)}: ${error.message}`, error.code === "AUTH_REQUIRED" ? connect : error.hint);
  }
  return ok(`${toLine(tool.name)} worked, in ${facts.kay.clock.now() - began} ms.`);
}

function isHarmless({ access, input_schema: { required } }: ToolView): boolean {
  return access === "read" && !(Array.isArray(required) && required.length > 0);
}

/** Lists of few things first: what is searched or counted may take long. */
function rank({ name }: ToolView): number {
  return /list/.test(name) ? 0 : /search|find/.test(name) ? 2 : 1;
}
