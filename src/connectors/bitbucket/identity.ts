import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import type { Identity, Site } from "../oauth.ts";
import type { ServiceHttp } from "../service-http.ts";

const User = z.looseObject({
  account_id: z.nullish(z.string()),
  uuid: z.string(),
  username: z.nullish(z.string()),
  nickname: z.nullish(z.string()),
  display_name: z.nullish(z.string()),
  links: z.nullish(z.looseObject({ avatar: z.nullish(z.looseObject({ href: z.nullish(z.string()) })) })),
});

const Workspace = z.looseObject({
  slug: z.string(),
  name: z.nullish(z.string()),
  uuid: z.nullish(z.string()),
  links: z.nullish(z.looseObject({ html: z.nullish(z.looseObject({ href: z.nullish(z.string()) })) })),
});

/** `GET /2.0/user/workspaces` wraps each workspace; the older list does not. */
const Workspaces = z.looseObject({ values: z.array(z.union([z.looseObject({ workspace: Workspace }), Workspace])) });

/**
 * Returns the account that consented and its workspaces. Source:
 * https://developer.atlassian.com/cloud/bitbucket/rest/api-group-users/ and …/api-group-workspaces/
 */
export async function fetchBitbucketIdentity(http: ServiceHttp): Promise<Identity> {
  const user = await http.request({ path: "/2.0/user", answer: User, scope: "account" });
  const sites = await listWorkspaces(http);
  const accountId = user.account_id ?? user.uuid;
  const [first, ...others] = sites;
  return {
    accountId,
    user: {
      account_id: accountId,
      username: user.username ?? user.nickname,
      display_name: user.display_name,
      avatar_url: user.links?.avatar?.href,
    },
    metadata: others.length === 0 && first ? first.metadata : {},
    ...(others.length === 0 ? {} : { sites }),
  };
}

async function listWorkspaces(http: ServiceHttp): Promise<Site[]> {
  const list = (path: string) => http.request({ path, query: { pagelen: 100 }, answer: Workspaces, scope: "account" });
  const { values } = await list("/2.0/user/workspaces").catch((error: unknown) => {
    if (error instanceof Problem && error.details.service_status === 404) return list("/2.0/workspaces");
    throw error;
  });
  return values
    .map((value) => ("workspace" in value ? Workspace.parse(value.workspace) : Workspace.parse(value)))
    .map(toSite);
}

function toSite({ slug, name, uuid, links }: z.output<typeof Workspace>): Site {
  const url = (links?.html?.href ?? `https://bitbucket.org/${encodeURIComponent(slug)}`).replace(/(?<!\/)\/+$/, "");
  return {
    id: uuid ?? slug,
    name: slug,
    url,
    scopes: [],
    metadata: { url, workspace: slug, workspace_name: name ?? slug },
  };
}
