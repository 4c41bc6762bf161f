import * as z from "zod/mini";
import { isMe } from "../input-text.ts";
import { type Purpose, requirePerson } from "../match.ts";
import type { ToolContext } from "../tool.ts";
import { getJiraApi } from "./issue.ts";

const User = z.looseObject({
  accountId: z.string(),
  displayName: z.nullish(z.string()),
  emailAddress: z.nullish(z.string()),
  accountType: z.nullish(z.string()),
  active: z.nullish(z.boolean()),
});

/** A user of the site, with what identifies them in errors and approvals. */
export type Person = { accountId: string; name: string; account: string };

/**
 * Finds a user by name, email address, account ID or "me". Jira's API accepts only account IDs.
 *
 * @param isShown whether the approval of a change shows the person, so that a given name is enough
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findPerson(
  { http, metadata }: Pick<ToolContext, "http" | "metadata">,
  text: string,
  { purpose, isShown = false }: { purpose: Purpose; isShown?: boolean },
): Promise<Person> {
  const { api } = getJiraApi({ metadata });
  const scope = "read:jira-user";
  if (isMe(text)) return toPerson(await http.request({ path: `${api}/myself`, answer: User, scope }));
  if (/^(?:\d+:)?[0-9a-f-]{24,}$/i.test(text.trim())) {
    const query = { accountId: text.trim() };
    return toPerson(await http.request({ path: `${api}/user`, query, answer: User, scope }));
  }
  const query = { query: text.trim(), maxResults: 20 };
  const matches = await http.request({ path: `${api}/user/search`, query, answer: z.array(User), scope });
  const people = matches.filter((user) => user.active !== false && (user.accountType ?? "atlassian") === "atlassian");
  const person = requirePerson(people, text, {
    purpose,
    where: "Jira",
    listNames: ({ displayName }) => [displayName],
    listAccounts: ({ emailAddress, accountId }) => [emailAddress ?? accountId],
    isShown,
  });
  return toPerson(person);
}

/** Describes a person for the approval of a call. */
export function describePerson({ name, account }: Person): string {
  return `${name} (${account})`;
}

function toPerson({ accountId, displayName, emailAddress }: z.output<typeof User>): Person {
  const account = [emailAddress, accountId].filter(Boolean).join(", ");
  return { accountId, name: displayName ?? emailAddress ?? accountId, account };
}
