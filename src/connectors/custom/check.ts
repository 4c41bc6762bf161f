import { isLoopbackHost } from "#net/addresses";
import { isReservedHeader, validateTool } from "./check-tool.ts";
import type { ServiceDescription } from "./description.ts";
import type { DescriptionFault } from "./faults.ts";

/** Checks the parts of a description against each other, after their shapes are valid. */
export function validateDescription(description: ServiceDescription, reserved: ReservedNames): DescriptionFault[] {
  const { name, base_url, auth, identify, tools } = description;
  return [
    ...checkName(name, reserved),
    ...checkAddress(base_url, ["base_url"], { bare: true }),
    ...checkAuth(auth),
    ...(identify ? checkIdentifyPath(identify.path) : []),
    ...tools.flatMap((tool, index) => validateTool(tool, ["tools", index], description)),
    ...checkUniqueNames(tools.map((tool) => tool.name)),
  ];
}

function checkName(name: string, { services, providers }: ReservedNames): DescriptionFault[] {
  if (services.includes(name)) return [{ path: ["name"], message: `is taken: ${name} is a built-in service` }];
  if (providers.includes(name)) return [{ path: ["name"], message: `is taken: ${name} is a built-in provider` }];
  return [];
}

function checkAddress(text: string, path: PropertyKey[], { bare }: { bare: boolean }): DescriptionFault[] {
  const url = URL.parse(text);
  if (!url || !/^[\x21-\x7e]+$/.test(text)) return [{ path, message: "is not a valid URL" }];
  if (url.protocol !== "https:" && !isLoopbackHost(url.hostname))
    return [{ path, message: "must begin with https://; http:// is allowed only for this machine" }];
  if (url.username || url.password) return [{ path, message: "must not contain a user name or password" }];
  if (url.hash) return [{ path, message: "must not contain a # fragment" }];
  if (bare && text.includes("?")) return [{ path, message: "must not contain a query; set it in each tool" }];
  if (/\/\.{1,2}(\/|$)|%2e/i.test(text)) return [{ path, message: "must not contain . or .. segments" }];
  return [];
}

function checkAuth(auth: ServiceDescription["auth"]): DescriptionFault[] {
  if (auth.type === "oauth2") {
    const reservedKeys = Object.keys(auth.authorize_params ?? {}).filter((key) => RESERVED_PARAMETERS.has(key));
    return [
      ...checkAddress(auth.authorize_url, ["auth", "authorize_url"], { bare: false }),
      ...checkAddress(auth.token_url, ["auth", "token_url"], { bare: false }),
      ...(auth.client_id.trim() === "" ? [{ path: ["auth", "client_id"], message: "must not be empty" }] : []),
      ...reservedKeys.map((key) => ({
        path: ["auth", "authorize_params", key],
        message: "is a parameter that kay sets itself",
      })),
    ];
  }
  if (auth.type !== "api_key") return [];
  if ((auth.header === undefined) === (auth.query === undefined))
    return [{ path: ["auth"], message: "must have either header or query" }];
  if (auth.query !== undefined && auth.prefix !== undefined)
    return [{ path: ["auth", "prefix"], message: "can be used only with header" }];
  if (auth.header !== undefined && auth.header.toLowerCase() !== "authorization" && isReservedHeader(auth.header))
    return [{ path: ["auth", "header"], message: "is a header that kay sets itself" }];
  return [];
}

function checkIdentifyPath(path: string): DescriptionFault[] {
  const valid = /^\/[\x21-\x7e]*$/.test(path) && !/[{}#\\]|\/\.{1,2}(\/|\?|$)|%2e/i.test(path);
  return valid
    ? []
    : [{ path: ["identify", "path"], message: "must be a plain path without {slots}, # or .. segments" }];
}

function checkUniqueNames(names: string[]): DescriptionFault[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [{ path: ["tools", index, "name"], message: `is used twice: ${name}` }] : [],
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

/** Names of existing services and providers, which a description must not use. */
export type ReservedNames = { services: string[]; providers: string[] };
