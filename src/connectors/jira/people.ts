import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import type { ServiceHttp } from "../service-http.ts";
import { isMe } from "./jql.ts";

const User = z.looseObject({
  accountId: z.string(),
  displayName: z.nullish(z.string()),
  emailAddress: z.nullish(z.string()),
  accountType: z.nullish(z.string()),
  active: z.nullish(z.boolean()),
});

/** A user of the site. */
export type Person = { accountId: string; name: string };

/**
 * Finds a user by name, email address or "me". Jira's API accepts only account IDs.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findPerson(http: ServiceHttp, api: string, name: string): Promise<Person> {
  const scope = "read:jira-user";
  if (isMe(name)) return toPerson(await http.request({ path: `${api}/myself`, answer: User, scope }));
  const query = { query: name, maxResults: 20 };
  const found = await http.request({ path: `${api}/user/search`, query, answer: z.array(User), scope });
  const people = found.filter((user) => user.active !== false && (user.accountType ?? "atlassian") === "atlassian");
  const exact = people.filter((user) => [user.displayName, user.emailAddress].some((text) => hasSameText(text, name)));
  const [only, ...more] = exact.length > 0 ? exact : people;
  if (only && more.length === 0) return toPerson(only);
  if (!only) throw new Problem("INVALID_REQUEST", `No user in Jira is called “${name}”.`, { hint: "Check the name." });
  const names = [only, ...more].map((user) => user.emailAddress ?? user.displayName ?? user.accountId).join(", ");
  throw new Problem("INVALID_REQUEST", `Several people in Jira match “${name}”: ${names}.`, {
    hint: "Use the full name or the email address.",
  });
}

function toPerson(user: z.output<typeof User>): Person {
  return { accountId: user.accountId, name: user.displayName ?? user.emailAddress ?? user.accountId };
}

function hasSameText(text: string | null | undefined, name: string): boolean {
  return text?.localeCompare(name.trim(), undefined, { sensitivity: "base" }) === 0;
}
