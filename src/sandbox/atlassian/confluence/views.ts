import type { Context } from "hono";
import { getSiteUrl, type SiteEnv } from "../gateway.ts";
import type { Page, Site, Space } from "../state.ts";
import { storageToAdf } from "./convert.ts";

/** Base URL of a site's pages; relative links in responses are below it. */
export function getBaseUrl(c: Context<SiteEnv>): string {
  return `${getSiteUrl(c.get("site"), c.req.raw)}/wiki`;
}

/** Returns the path of a page below the base. */
export function getWebPath(page: Page): string {
  return `/spaces/${page.space}/pages/${page.id}/${encodeURIComponent(page.title).replace(/%20/g, "+")}`;
}

/** Returns a page as in API v2. Without a format, the body is empty. */
export function toPageView(site: Site, page: Page, format: string | undefined) {
  const tiny = Buffer.from(page.id).toString("base64url");
  return {
    id: page.id,
    status: "current",
    title: page.title,
    spaceId: findSpace(site, page).id,
    parentId: page.parent,
    parentType: page.parent === null ? null : "page",
    position: site.pages.indexOf(page),
    authorId: page.author,
    ownerId: page.author,
    lastOwnerId: null,
    createdAt: page.created,
    version: { number: page.version, message: "", minorEdit: false, authorId: page.author, createdAt: page.updated },
    body: toBodyView(page, format),
    _links: { editui: `/pages/resumedraft.action?draftId=${page.id}`, webui: getWebPath(page), tinyui: `/x/${tiny}` },
  };
}

export function toSpaceView(site: Site, space: Space) {
  return {
    id: space.id,
    key: space.key,
    name: space.name,
    type: "global",
    status: "current",
    authorId: site.pages.find(({ space: key }) => key === space.key)?.author ?? null,
    createdAt: site.pages.find(({ space: key }) => key === space.key)?.created ?? null,
    homepageId: site.pages.find(({ space: key, parent }) => key === space.key && parent === null)?.id ?? null,
    description: null,
    icon: null,
    _links: { webui: `/spaces/${space.key}` },
  };
}

/** Returns the space of a page, which exists because the world was validated when loaded. */
export function findSpace(site: Site, page: Page): Space {
  const space = site.spaces.find(({ key }) => key === page.space);
  if (!space) throw new Error(`page ${page.id} has no space`);
  return space;
}

function toBodyView(page: Page, format: string | undefined) {
  if (format === "storage" || format === "view") return { [format]: { representation: format, value: page.body } };
  if (format !== "atlas_doc_format") return {};
  return { atlas_doc_format: { representation: format, value: JSON.stringify(storageToAdf(page.body)) } };
}
