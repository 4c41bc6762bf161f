import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** What the planner works with when a service has several accounts: the tools of one account each, and the request. */
type AccountChoice = {
  tools: LanguageModelV4FunctionTool[];
  prompt: LanguageModelV4Prompt;
  /** Asks which account is meant, if one of these tools would be called and the request names no account. */
  ask(toolNames: string[]): string | undefined;
};

/**
 * Chooses the account that a request names: "what is open in jira@work", or the only one that there is. Of a service with
 * several accounts, the tools of one remain, and the name of the account becomes that of the service.
 */
export function chooseAccounts(prompt: LanguageModelV4Prompt, tools: LanguageModelV4FunctionTool[]): AccountChoice {
  const services = new Set(tools.map(({ name }) => getService(name)));
  const several = [...services].filter((service) => service.includes(MARK)).map(getBase);
  if (several.length === 0) return { tools, prompt, ask: () => undefined };
  const text = getLastRequest(prompt).toLowerCase();
  const accounts = [...services].filter((service) => several.includes(getBase(service)));
  const isOnly = (service: string) => accounts.filter((other) => getBase(other) === getBase(service)).length === 1;
  const named = accounts.filter(
    (service) => service.includes(MARK) && (isOnly(service) || holdsName(text, toName(service))),
  );
  const chosen = new Map(named.map((service) => [getBase(service), service]));
  return {
    tools: tools.filter(({ name }) => isChosen(getService(name), chosen)),
    prompt: replaceNames(prompt, named),
    ask: (toolNames) => {
      const base = toolNames.map((name) => getBase(getService(name))).find((name) => several.includes(name));
      if (base === undefined) return undefined;
      const ofBase = named.filter((service) => getBase(service) === base);
      if (ofBase.length === 1) return undefined;
      const names = accounts.filter((service) => getBase(service) === base).map(toName);
      return `There are several accounts of ${base}: ${names.join(", ")}. Name one of them in the request.`;
    },
  };
}

/** How a wire name separates a service from its account: `jira_at_work__search`. */
const MARK = "_at_";

function getService(toolName: string): string {
  return toolName.split("__")[0] ?? toolName;
}

function getBase(service: string): string {
  return service.split(MARK)[0] ?? service;
}

function toName(service: string): string {
  return service.replace(MARK, "@");
}

function isChosen(service: string, chosen: Map<string, string>): boolean {
  const meant = chosen.get(getBase(service));
  return meant === undefined ? !service.includes(MARK) : service === meant;
}

function holdsName(text: string, name: string): boolean {
  return text.split(/[\s,;:!?()"“”]+/u).some((word) => word.replace(/\.$/, "") === name);
}

function getLastRequest(prompt: LanguageModelV4Prompt): string {
  const message = prompt.findLast(({ role }) => role === "user");
  if (message?.role !== "user") return "";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/** The prompt as if each named account were the only one of its service. */
function replaceNames(prompt: LanguageModelV4Prompt, named: string[]): LanguageModelV4Prompt {
  if (named.length === 0) return prompt;
  const replaceIn = (text: string) =>
    named.reduce((changed, service) => changed.replaceAll(new RegExp(toName(service), "gi"), getBase(service)), text);
  return prompt.map((message) =>
    message.role === "user"
      ? {
          ...message,
          content: message.content.map((part) =>
            part.type === "text" ? { ...part, text: replaceIn(part.text) } : part,
          ),
        }
      : message,
  );
}
