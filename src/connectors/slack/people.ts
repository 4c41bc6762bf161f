import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import type { ListRequest } from "../http/pages.ts";
import { type Purpose, requirePerson } from "../match.ts";
import type { ServiceHttp } from "../service-http.ts";
import type { ToolContext } from "../tool.ts";
import { callReadMethod, readAllItems } from "./call.ts";

/** A member of the workspace. Source: https://docs.slack.dev/reference/objects/user-object/ */
export const User = z.looseObject({
  id: z.string(),
  name: z.nullish(z.string()),
  real_name: z.nullish(z.string()),
  deleted: z.nullish(z.boolean()),
  is_bot: z.nullish(z.boolean()),
  tz: z.nullish(z.string()),
  profile: z.nullish(
    z.looseObject({
      real_name: z.nullish(z.string()),
      display_name: z.nullish(z.string()),
      email: z.nullish(z.string()),
      title: z.nullish(z.string()),
      image_72: z.nullish(z.string()),
      image_192: z.nullish(z.string()),
    }),
  ),
});
export type User = z.output<typeof User>;

/** Number of users looked up at once. */
const AT_ONCE = 5;
/** Maximum number of names looked up; other users are shown by ID. */
const MAX_NAMES = 40;

/** Returns the display name of a user. */
export function getUserName(user: User): string {
  return user.profile?.real_name || user.real_name || user.profile?.display_name || user.name || user.id;
}

/** Lists the active human members of the workspace that `isWanted` accepts. */
export async function listPeople(
  http: ServiceHttp,
  enough: ListRequest | (() => boolean) = () => false,
  isWanted: (user: User) => boolean = () => true,
): Promise<{ people: User[]; more: boolean }> {
  const isPerson = (user: User) => !user.deleted && !user.is_bot && user.id !== "USLACKBOT";
  const list = {
    ...{ name: "members", item: User, query: { limit: 200 }, scope: "users:read" },
    isWanted: (user: User) => isPerson(user) && isWanted(user),
  };
  const { items, more } = await readAllItems(http, "users.list", list, enough);
  return { people: items, more };
}

/**
 * Finds a user by name, handle, email address, ID or "me".
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findPerson(
  context: Pick<ToolContext, "http" | "metadata">,
  text: string,
  purpose: Purpose,
): Promise<User> {
  const name = text
    .trim()
    .replace(/^<@([A-Z0-9]+)(\|[^>]*)?>$/, "$1")
    .replace(/^@/, "");
  const { http, metadata } = context;
  const id = /^(me|myself|i)$/i.test(name) ? metadata.user_id : /^[UW][A-Z0-9]{7,}$/.test(name) ? name : undefined;
  const answer = z.looseObject({ user: User });
  if (typeof id === "string") {
    return (await callReadMethod(http, "users.info", { query: { user: id }, answer, scope: "users:read" })).user;
  }
  if (/^[^@\s]+@(?:[^@\s.]+\.)+[^@\s.]+$/.test(name)) {
    const request = { query: { email: name }, answer, scope: "users:read.email" };
    return (await callReadMethod(http, "users.lookupByEmail", request)).user;
  }
  const { people } = await listPeople(http);
  return requirePerson(people, name, {
    purpose,
    where: "Slack",
    listNames: (user) => [getUserName(user), user.profile?.display_name],
    listAccounts: (user) => [user.name && `@${user.name}`, user.profile?.email],
    isShown: true,
  });
}

/** Loads the names of users by ID. An ID that cannot be looked up stays. */
export async function loadUserNames(http: ServiceHttp, ids: string[]): Promise<Map<string, string>> {
  const uniqueIds = [...new Set(ids)].slice(0, MAX_NAMES);
  const names = new Map<string, string>();
  const answer = z.looseObject({ user: User });
  for (let start = 0; start < uniqueIds.length; start += AT_ONCE) {
    const batch = uniqueIds.slice(start, start + AT_ONCE);
    await Promise.all(
      batch.map(async (id) => {
        try {
          const { user } = await callReadMethod(http, "users.info", {
            query: { user: id },
            answer,
            scope: "users:read",
          });
          names.set(id, getUserName(user));
        } catch (error) {
          const passing = error instanceof Problem && ["SERVICE_FAILED", "RATE_LIMITED"].includes(error.code);
          if (!passing) throw error;
        }
      }),
    );
  }
  return names;
}
