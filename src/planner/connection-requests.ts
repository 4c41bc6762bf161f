import type { ToolCatalogue } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { isQuestion } from "./clauses.ts";
import type { Word } from "./language.ts";
import { toRecord } from "./memory.ts";
import type { ClauseOutcome } from "./plan.ts";
import { isModelRequest } from "./small-talk.ts";

/** Whether a request is about connections rather than about what is in the services. */
export function isConnectionRequest(clause: Clause, kit: ToolCatalogue): boolean {
  return planConnection(clause, kit) !== undefined;
}

/**
 * "Connect jira and slack", "which services are connected?": a call of the agent's own tool for it, or what to type where
 * it has none.
 */
export function planConnection({ words }: Clause, kit: ToolCatalogue): ClauseOutcome | undefined {
  const telling = words.filter(({ kind }) => kind === "word");
  const [first, ...others] = telling;
  if (first === undefined || words.some(({ kind }) => kind === "literal") || others[0]?.lower === "with")
    return undefined;
  const services = listServices(kit);
  const named = findNamed(telling, services);
  if (named.names.length === 0 && isModelRequest(telling)) return undefined;
  const rest = others.filter((word) => !named.words.has(word) && !word.stop && !AROUND.has(word.lower));
  if (
    CONNECT.has(first.lower) &&
    (named.names.length > 0 || (rest.length <= 2 && !rest.some(({ text }) => /\d/.test(text))))
  )
    return connect(named.names, rest, [...services.keys()], kit);
  if (DISCONNECT.has(first.lower) && rest.length === 0)
    return say(`I cannot remove a connection from here. Run \`kay disconnect ${named.names[0] ?? "<service>"}\`.`);
  const isAsked = (isQuestion(words) || SHOWS.has(first.lower)) && telling.some(({ lower }) => ABOUT.has(lower));
  if (!isAsked || rest.some((word) => word !== first && !ABOUT.has(word.lower))) return undefined;
  if (!kit.others.has(FIND_SERVICE))
    return say(
      `The services are: ${[...services.keys()].join(", ")}. Run \`kay connections\` to see which are connected.`,
    );
  const query = named.names.join(" ");
  return { kind: "calls", calls: [{ tool: FIND_SERVICE, input: query ? { query } : {} }], changes: false };
}

function connect(names: string[], unknown: Word[], known: string[], kit: ToolCatalogue): ClauseOutcome {
  const unclear = unknown.map(({ text }) => text).join(" ");
  if (unclear) return say(`There is no service “${unclear.slice(0, 60)}” here. The services are: ${known.join(", ")}.`);
  if (names.length === 0) return say(`Which service is to be connected? The services are: ${known.join(", ")}.`);
  if (kit.others.has(CONNECT_SERVICE))
    return { kind: "calls", calls: [{ tool: CONNECT_SERVICE, input: { services: names } }], changes: true };
  const plain = names.filter((name) => !name.includes("@")).join(" ");
  const accounts = names.filter((name) => name.includes("@")).map((name) => name.replace("@", " --as "));
  const commands = [plain, ...accounts].filter(Boolean).map((name) => `\`kay connect ${name}\``);
  return say(`I cannot connect services from here. Run ${commands.join(" and ")}.`);
}

/** Services with tools here, and those that the tool for connecting knows besides, with their titles. */
function listServices({ skills, others }: ToolCatalogue): Map<string, string> {
  const schema = toRecord(others.get(CONNECT_SERVICE)?.inputSchema.properties?.services);
  const listed = toRecord(schema.items).enum;
  const more = (Array.isArray(listed) ? listed : []).filter((name) => typeof name === "string");
  return new Map([
    ...more.map((name) => [name, name] as const),
    ...skills.map(({ service, title }) => [service, title] as const),
  ]);
}

/** The services that words name: "google" for all that begin with it, `jira@work` for an account of Jira. */
function findNamed(words: Word[], services: Map<string, string>): { names: string[]; words: Set<Word> } {
  const names: string[] = [];
  const used = new Set<Word>();
  words.forEach((word, from) => {
    const [, label] = word.text.toLowerCase().split("@");
    for (const size of [3, 2, 1]) {
      const span = words.slice(from, from + size);
      const name = span.map(({ lower }) => lower.split("@")[0]).join(" ");
      const matches = [...services].flatMap(([service, title]) =>
        [service, service.replaceAll("-", " "), title.toLowerCase(), title.toLowerCase().split(" ").at(-1)].includes(
          name,
        )
          ? [service]
          : [],
      );
      if (matches.length === 0 || used.has(word)) continue;
      names.push(...matches.map((service) => (label ? `${service}@${label}` : service)));
      for (const one of span) used.add(one);
    }
  });
  return { names: [...new Set(names)], words: used };
}

function say(text: string): ClauseOutcome {
  return { kind: "words", text };
}

const CONNECT_SERVICE = "connect_service";
const FIND_SERVICE = "find_service";

const CONNECT = new Set("connect reconnect authorize authorise link".split(" "));
const DISCONNECT = new Set(["disconnect", "unlink"]);
const SHOWS = new Set(["show", "list", "see", "display"]);
/** Words that ask about connections themselves. */
const ABOUT = new Set("connect connected connections services service integrations integration".split(" "));
/** Words around the names of services that say nothing more. */
const AROUND = new Set("account accounts again support available use up currently".split(" "));
