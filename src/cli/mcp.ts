import type { DescribeRequest, DescribeResponse } from "#protocol/described";
import { Problem } from "#protocol/errors";
import type { McpRequest } from "#protocol/mcp";
import { shellWords } from "#protocol/shell";
import { line } from "#ui/words";
import { addLooked, describe, end, show } from "./described.ts";
import type { Kay } from "./kay.ts";
import { askYesNo } from "./prompt.ts";

/** What `kay services add --mcp` was called with: an address or a command in one text, or the words of a command after `--`. */
export type McpFlags = { mcp: string | true; name?: string; keyHeader?: string; dryRun: boolean };

/** `kay services add --mcp`: look at the tools of an MCP server, ask, and have the backend keep it with just these. */
export async function addMcp(kay: Kay, words: string[], flags: McpFlags): Promise<void> {
  const mcp: McpRequest = {
    ...placeOf(kay, words, flags.mcp),
    ...(flags.name === undefined ? {} : { name: flags.name }),
    ...(flags.keyHeader === undefined ? {} : { key_header: flags.keyHeader }),
  };
  const link = await kay.link();
  const send = (body: DescribeRequest) => describe(kay, link, body);
  await addLooked(kay, { mcp }, { send, dryRun: flags.dryRun });
}

/** `kay services approve`: show how the tools of an MCP server differ from those that were approved, ask, and take them. */
export async function approveMcp(kay: Kay, name: string, { dryRun }: { dryRun: boolean }): Promise<void> {
  const { api } = await kay.link({ signedIn: true });
  const send = (body: { dry_run: boolean; expected?: string }): Promise<DescribeResponse> =>
    api.approveService(name, body, { signal: kay.signal });
  const look = await send({ dry_run: true });
  if (dryRun || look.outcome === "unchanged") return await end(kay, look);
  if (!kay.flags.json) await show(kay, look);
  if (
    !(await askYesNo(kay, `Take the tools of ${line(name)} as they are now?`, "Use --yes, or --dry-run to look only."))
  )
    throw new Problem("CANCELLED", "Nothing was changed.");
  const done = await send({ dry_run: false, ...(look.fingerprint ? { expected: look.fingerprint } : {}) });
  if (kay.flags.json) return kay.out.json(done);
  kay.out.line(`Approved the tools of ${line(done.service.name)}.`);
}

/** No shell sees a command, so that nothing in it is expanded. */
function placeOf(kay: Kay, words: string[], given: string | true): Pick<McpRequest, "url" | "command" | "folder"> {
  if (given !== true && words.length > 0)
    throw new Problem("USAGE", "Give the command of an MCP server in quotes, or after `--`.", { hint: HINT });
  if (given === true && words.length === 0)
    throw new Problem("USAGE", "Give the address of an MCP server, or its command.", { hint: HINT });
  if (given !== true && /^https?:/i.test(given.trim())) return { url: given.trim() };
  const [only = ""] = words;
  if (words.length === 1 && /^https?:\/\//i.test(only)) return { url: only };
  const command = given === true ? words : shellWords(given);
  if (!command || command.length === 0)
    throw new Problem("USAGE", `${line(given === true ? "" : given)} is no command: a quote in it has no end.`, {
      hint: HINT,
    });
  return { command, folder: kay.cwd };
}

const HINT =
  "Such as `kay services add --mcp https://mcp.example.com`, or `kay services add --mcp -- npx -y some-server`.";
