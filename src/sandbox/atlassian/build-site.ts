import { requireUnique, requireUniqueValues, SeedError, type SeedLookup } from "../seed-build.ts";
import { parseStorage, StorageError } from "./confluence/storage.ts";
import { toAdf } from "./jira/adf.ts";
import { DEFAULT_WORKFLOW, ISSUE_TYPES, PRIORITIES } from "./jira/schemes.ts";
import type { IssueSeed, PageSeed, ProjectSeed, SiteSeed } from "./seed.ts";
import type { Issue, Page, Project, Site, Space } from "./state.ts";

/** The lookup of a site, with the ID of the first account, which is the default author. */
export type SiteLookup = SeedLookup & { first: string };

/** Fills in one site. `path` is its place in the seed. @throws SeedError */
export function buildSite(data: SiteSeed & { id: string }, lookup: SiteLookup, path: string): Site {
  const { id, name, url, scopes } = data;
  const accounts = lookup.people(data.accounts, `${path}.accounts`);
  const projects = (data.projects ?? []).map((project, index) =>
    buildProject(project, index, lookup, `${path}.projects[${index}]`),
  );
  requireUnique(projects, `${path}.projects`, "key");
  const sprints = data.sprints?.map((sprint, index) => ({ id: String(index + 1), ...sprint }));
  const issues = (data.issues ?? []).map((issue, index) => {
    const issuePath = `${path}.issues[${index}]`;
    if (issue.sprint !== undefined) findKnown(sprints ?? [], issue.sprint, `${issuePath}.sprint`, "sprint");
    return buildIssue(issue, index, projects, lookup, issuePath);
  });
  requireUnique(issues, `${path}.issues`, "key");
  requireUnique(issues, `${path}.issues`, "id");
  const spaces = (data.spaces ?? []).map(
    (space, index): Space => ({ id: String(65_537 + index), description: "", ...space }),
  );
  requireUnique(spaces, `${path}.spaces`, "key");
  const pages = buildPages(data.pages ?? [], spaces, lookup, `${path}.pages`);
  return {
    id,
    name,
    ...(url === undefined ? {} : { url }),
    ...(scopes === undefined ? {} : { scopes }),
    accounts,
    projects,
    ...(sprints === undefined ? {} : { sprints }),
    issues,
    spaces,
    pages,
  };
}

function buildProject(data: ProjectSeed, index: number, lookup: SiteLookup, path: string): Project {
  const issueTypes = data.issueTypes ?? ["Epic", "Story", "Task", "Bug"];
  issueTypes.forEach((name, typeIndex) => {
    findKnown(ISSUE_TYPES, name, `${path}.issueTypes[${typeIndex}]`, "issue type");
  });
  const statuses = (data.workflow?.statuses ?? DEFAULT_WORKFLOW.statuses).map((status, statusIndex) => ({
    id: String(10_100 + index * 50 + statusIndex),
    ...status,
  }));
  const transitions = (data.workflow?.transitions ?? DEFAULT_WORKFLOW.transitions).map(
    (transition, transitionIndex) => {
      [transition.to, ...(transition.from ?? [])].forEach((name) => {
        findKnown(statuses, name, `${path}.workflow.transitions[${transitionIndex}]`, "status");
      });
      return { id: String((transitionIndex + 1) * 10 + 1), ...transition };
    },
  );
  return {
    id: data.id ?? String(10_000 + index),
    key: data.key,
    name: data.name,
    description: data.description ?? "",
    lead: data.lead === undefined ? lookup.first : lookup.person(data.lead, `${path}.lead`),
    issueTypes,
    workflow: { statuses, transitions },
  };
}

function buildIssue(data: IssueSeed, index: number, projects: Project[], lookup: SiteLookup, path: string): Issue {
  const project = projects.find(({ key }) => key === data.key.slice(0, data.key.lastIndexOf("-")));
  if (!project) throw new SeedError(`${path}.key`, `there is no project for ${data.key}`);
  const status = findKnown(
    project.workflow.statuses,
    data.status ?? project.workflow.statuses[0]?.name ?? "",
    `${path}.status`,
    "status",
  );
  const created = lookup.time(data.created, lookup.longAgo, `${path}.created`);
  const reporter = data.reporter === undefined ? project.lead : lookup.person(data.reporter, `${path}.reporter`);
  const updated = lookup.time(data.updated, created, `${path}.updated`);
  const resolved =
    status.statusCategory === "done"
      ? lookup.time(data.resolutiondate ?? undefined, updated, `${path}.resolutiondate`)
      : null;
  return {
    id: data.id ?? String(10_001 + index),
    key: data.key,
    summary: data.summary,
    issuetype: findKnown(
      project.issueTypes.map((name) => ({ name })),
      data.issuetype ?? project.issueTypes.at(-1) ?? "",
      `${path}.issuetype`,
      "issue type",
    ).name,
    status: status.name,
    priority: findKnown(PRIORITIES, data.priority ?? "Medium", `${path}.priority`, "priority").name,
    assignee: data.assignee ? lookup.person(data.assignee, `${path}.assignee`) : null,
    reporter,
    labels: data.labels ?? [],
    ...(data.sprint === undefined ? {} : { sprint: data.sprint }),
    duedate: data.duedate ?? null,
    parent: data.parent ?? null,
    description:
      data.description === undefined || data.description === null || data.description === ""
        ? null
        : toAdf(data.description),
    comments: buildComments(data, reporter, updated, 20_000 + index * 100, lookup, path),
    ...(data.links ? { links: data.links } : {}),
    ...(data.worklogs ? { worklogs: data.worklogs.map(toWorklog) } : {}),
    ...(data.attachments ? { attachments: data.attachments } : {}),
    created,
    updated,
    resolutiondate: resolved,
  };
}

function toWorklog({ comment, ...worklog }: NonNullable<IssueSeed["worklogs"]>[number]) {
  return { ...worklog, ...(comment === undefined ? {} : { comment: toAdf(comment) }) };
}

function buildComments(
  data: IssueSeed,
  reporter: string,
  updated: string,
  firstId: number,
  lookup: SiteLookup,
  path: string,
) {
  return (data.comments ?? []).map((comment, commentIndex) => {
    const created = lookup.time(comment.created, updated, `${path}.comments[${commentIndex}].created`);
    return {
      id: comment.id ?? String(firstId + commentIndex),
      author:
        comment.author === undefined
          ? reporter
          : lookup.person(comment.author, `${path}.comments[${commentIndex}].author`),
      body: toAdf(comment.body),
      created,
      updated: lookup.time(comment.updated, created, `${path}.comments[${commentIndex}].updated`),
    };
  });
}

function buildPages(seeds: PageSeed[], spaces: Space[], lookup: SiteLookup, path: string): Page[] {
  const pages = seeds.map((data, index): Page => {
    const space = spaces.find(({ key, id }) => key === data.space || id === data.space);
    if (!space) throw new SeedError(`${path}[${index}].space`, `there is no space "${data.space}"`);
    requireWellFormed(data.body ?? "", `${path}[${index}].body`);
    const created = lookup.time(data.created, lookup.longAgo, `${path}[${index}].created`);
    const author = data.author === undefined ? lookup.first : lookup.person(data.author, `${path}[${index}].author`);
    const updated = lookup.time(data.updated, created, `${path}[${index}].updated`);
    return {
      id: data.id ?? String(98_305 + index * 32),
      space: space.key,
      title: data.title,
      body: data.body ?? "",
      parent: data.parent ?? null,
      author,
      version: data.version ?? 1,
      created,
      updated,
      comments: (data.comments ?? []).map((comment, commentIndex) => {
        const commentPath = `${path}[${index}].comments[${commentIndex}]`;
        requireWellFormed(comment.body, `${commentPath}.body`);
        return {
          id: comment.id ?? String(131_073 + index * 100 + commentIndex),
          author: comment.author === undefined ? author : lookup.person(comment.author, `${commentPath}.author`),
          body: comment.body,
          created: lookup.time(comment.created, updated, `${commentPath}.created`),
        };
      }),
    };
  });
  requireUnique(pages, path, "id");
  requireUniqueValues(
    pages.map(({ space, title }) => `${space}: ${title}`),
    (index) => `${path}[${index}].title`,
  );
  for (const [index, page] of pages.entries()) {
    if (page.parent === null) continue;
    const parent = pages.find(
      ({ id, title, space }) => space === page.space && (id === page.parent || title === page.parent),
    );
    if (!parent) throw new SeedError(`${path}[${index}].parent`, `there is no page "${page.parent}" in ${page.space}`);
    page.parent = parent.id;
  }
  pages.forEach((page, index) => {
    if (isBelowItself(page, pages)) throw new SeedError(`${path}[${index}].parent`, `"${page.title}" is below itself`);
  });
  return pages;
}

/** Whether the chain of parents of a page leads back to it. Readers of ancestors would not end. */
function isBelowItself(page: Page, pages: Page[]): boolean {
  let { parent } = page;
  for (let level = 0; parent !== null && level < pages.length; level++) {
    if (parent === page.id) return true;
    parent = pages.find(({ id }) => id === parent)?.parent ?? null;
  }
  return false;
}

function requireWellFormed(body: string, path: string) {
  try {
    parseStorage(body);
  } catch (error) {
    if (error instanceof StorageError) throw new SeedError(path, error.message);
    throw error;
  }
}

function findKnown<T extends { name: string }>(list: readonly T[], name: string, path: string, noun: string): T {
  const match = list.find((item) => item.name === name);
  if (!match)
    throw new SeedError(path, `there is no ${noun} "${name}"; there are ${list.map((item) => item.name).join(", ")}`);
  return match;
}
