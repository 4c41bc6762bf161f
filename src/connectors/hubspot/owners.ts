import * as z from "zod/mini";
import { readPages } from "../http/pages.ts";
import { isMe } from "../input-text.ts";
import { isSameName, requirePerson } from "../match.ts";
import type { ServiceHttp } from "../service-http.ts";
import type { ToolContext } from "../tool.ts";

const Owners = z.looseObject({
  results: z.array(
    z.looseObject({
      id: z.string(),
      email: z.nullish(z.string()),
      firstName: z.nullish(z.string()),
      lastName: z.nullish(z.string()),
    }),
  ),
  paging: z.nullish(z.looseObject({ next: z.nullish(z.looseObject({ after: z.string() })) })),
});

/** A user of the account who can own records. */
export type Owner = { id: string; name: string; email: string };

const SCOPE = "crm.objects.owners.read";
/** Maximum number of pages of 100 owners that are searched for a name. */
const MAX_PAGES = 5;

/** Finds the owner with an email address. Source: HubSpot CRM v3, GET /crm/v3/owners. */
export async function findOwner(http: ServiceHttp, email: string): Promise<Owner | undefined> {
  const { results } = await http.request({ path: "/crm/v3/owners", query: { email }, answer: Owners, scope: SCOPE });
  return results.map(getOwner).find((owner) => isSameName(owner.email, email));
}

/**
 * Finds an owner by "me", an email address or a name.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findOwnerByName(
  context: ToolContext,
  text: string,
  purpose: "read" | "change" = "read",
): Promise<Owner> {
  const nameOrId = text.trim();
  const { owner_id: ownerId } = context.metadata;
  if (isMe(nameOrId) && typeof ownerId === "string") return { id: ownerId, name: "you", email: "" };
  return requirePerson(await listAllOwners(context.http), nameOrId, {
    purpose,
    where: "HubSpot",
    listNames: ({ name }) => [name],
    listAccounts: ({ email, id }) => [email, id],
    isShown: false,
  });
}

async function listAllOwners(http: ServiceHttp): Promise<Owner[]> {
  const fetchPage = async (after: string | undefined) => {
    const query = { limit: 100, after };
    const { results, paging } = await http.request({ path: "/crm/v3/owners", query, answer: Owners, scope: SCOPE });
    return { items: results.map(getOwner), next: paging?.next?.after };
  };
  return (await readPages(fetchPage, () => false, MAX_PAGES)).items;
}

function getOwner({ id, email, firstName, lastName }: z.output<typeof Owners>["results"][number]): Owner {
  const name = [firstName, lastName].filter(Boolean).join(" ");
  return { id, name: name || email || id, email: email ?? "" };
}
