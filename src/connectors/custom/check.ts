import { isLoopbackHost } from "#net/addresses";
import { isReservedHeader, validateTool } from "./check-tool.ts";
import type { ServiceDescription } from "./description.ts";
import type { DescriptionFault } from "./faults.ts";

/** What the parts of a description say against each other, after each has its right shape. */
export function validateDescription(description: ServiceDescription, taken: ReservedNames): DescriptionFault[] {
  const { name, base_url, auth, identify, tools } = description;
  return [
    ...checkName(name, taken),
    ...checkAddress(base_url, ["base_url"], { bare: true }),
    ...checkAuth(auth),
    ...(identify ? checkIdentifyPath(identify.path) : []),
    ...tools.flatMap((tool, index) => validateTool(tool, ["tools", index], description)),
    ...twice(tools.map((tool) => tool.name)),
  ];
}

function checkName(name: string, { services, providers }: ReservedNames): DescriptionFault[] {
  if (services.includes(name)) return [{ path: ["name"], says: `is taken: ${name} is a service that kay has` }];
  if (providers.includes(name)) return [{ path: ["name"], says: `is taken: ${name} is a provider that kay knows` }];
  return [];
}

function checkAddress(text: string, path: PropertyKey[], { bare }: { bare: boolean }): DescriptionFault[] {
  const url = URL.parse(text);
  if (!url || !/^[\x21-\x7e]+$/.test(text)) return [{ path, says: "is no address that can be reached" }];
  if (url.protocol !== "https:" && !isLoopbackHost(url.hostname))
    return [{ path, says: "must begin with https://; http:// is only for this machine" }];
  if (url.username || url.password) return [{ path, says: "must not have a user or password in it" }];
  if (url.hash) return [{ path, says: "must not have a # part" }];
  if (bare && text.includes("?")) return [{ path, says: "must not have a query; a tool has its own" }];
  if (/\/\.{1,2}(\/|$)|%2e/i.test(text)) return [{ path, says: "must not have . or .. steps" }];
  return [];
}

function checkAuth(auth: ServiceDescription["auth"]): DescriptionFault[] {
  if (auth.type === "oauth2") {
    const used = Object.keys(auth.authorize_params ?? {}).filter((key) => RESERVED_PARAMETERS.has(key));
    return [
      ...checkAddress(auth.authorize_url, ["auth", "authorize_url"], { bare: false }),
      ...checkAddress(auth.token_url, ["auth", "token_url"], { bare: false }),
      ...(auth.client_id.trim() === "" ? [{ path: ["auth", "client_id"], says: "must not be empty" }] : []),
      ...used.map((key) => ({ path: ["auth", "authorize_params", key], says: "is a parameter that kay sets itself" })),
    ];
  }
  if (auth.type !== "api_key") return [];
  if ((auth.header === undefined) === (auth.query === undefined))
    return [{ path: ["auth"], says: "must have one of header and query" }];
  if (auth.query !== undefined && auth.prefix !== undefined)
    return [{ path: ["auth", "prefix"], says: "goes with header only" }];
  if (auth.header !== undefined && auth.header.toLowerCase() !== "authorization" && isReservedHeader(auth.header))
    return [{ path: ["auth", "header"], says: "is a header that kay sets itself" }];
  return [];
}

function checkIdentifyPath(path: string): DescriptionFault[] {
  const fine = /^\/[\x21-\x7e]*$/.test(path) && !/[{}#\\]|\/\.{1,2}(\/|\?|$)|%2e/i.test(path);
  return fine ? [] : [{ path: ["identify", "path"], says: "must be a plain path without {slots}, # or .. steps" }];
}

function twice(names: string[]): DescriptionFault[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [{ path: ["tools", index, "name"], says: `is there twice: ${name}` }] : [],
  );
}

const RESERVED_PARAMETERS = new Set([
  "response_type",
  "client_id",
  "client_secret",
  "redirect_uri",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
]);

/** Names that a description may not take: those of the services and providers that there are. */
export type ReservedNames = { services: string[]; providers: string[] };
