import { createUuidFromName } from "../ids.ts";
import { parsePeriod } from "../period.ts";
import { createSeedLookup, findNamed, requireUniqueValues, SeedError, type SeedLookup } from "../seed-build.ts";
import type { BlockSeed, DatabaseSeed, NotionSeed, PageSeed, RowSeed } from "./seed.ts";
import type { Block, Cell, Database, Entry, NotionState, Page, Property, Row } from "./state.ts";
import { parseBlocks } from "./text.ts";

type Lookup = SeedLookup & {
  /** The first user, the default author. */
  first: string;
  page(reference: string, path: string): string;
};

/** Fills in a Notion seed. @throws SeedError */
export function buildNotion(data: NotionSeed, now: number): NotionState {
  const users = data.users.map((user) => ({ ...user, id: user.id ?? createUuidFromName(`user ${user.email}`) }));
  const pages = (data.pages ?? []).map((page, index) => ({
    ...page,
    id: page.id ?? createUuidFromName(`page ${index} ${page.title}`),
  }));
  const lookup: Lookup = {
    ...createSeedLookup(
      users.map(({ id, name, email }) => ({ id, names: [name, email] })),
      { now, days: 30, noun: "user" },
    ),
    first: users[0]?.id ?? "",
    page: (reference, path) => findNamed(pages, ({ id, title }) => [id, title], reference, path, "page").id,
  };
  const name = data.workspace?.name ?? "Workspace";
  const world: NotionState = {
    workspace: { id: data.workspace?.id ?? createUuidFromName(`workspace ${name}`), name },
    users,
    pages: pages.map((page, index) => buildPage(page, lookup, `pages[${index}]`)),
    databases: (data.databases ?? []).map((data, index) => buildDatabase(data, lookup, `databases[${index}]`)),
  };
  requireUniqueIds(world);
  return world;
}

function buildPage(page: PageSeed & { id: string }, lookup: Lookup, path: string): Page {
  const parent = page.parent ? lookup.page(page.parent, `${path}.parent`) : null;
  return { ...getEntry(page, page.id, lookup, path), title: page.title, parent };
}

function buildDatabase(data: DatabaseSeed, lookup: Lookup, path: string): Database {
  const id = data.id ?? createUuidFromName(`database ${data.title}`);
  const properties = Object.fromEntries(
    Object.entries(data.properties).map(([name, property]): [string, Property] => [
      name,
      typeof property === "string"
        ? { type: property, options: [] }
        : { type: property.type, options: property.options ?? [] },
    ]),
  );
  const titles = Object.values(properties).filter(({ type }) => type === "title").length;
  if (titles !== 1) throw new SeedError(`${path}.properties`, "there must be one property of the type title");
  const created_time = lookup.time(data.created_time, lookup.longAgo, `${path}.created_time`);
  return {
    id,
    data_source_id: data.data_source_id ?? createUuidFromName(`data source ${id}`),
    title: data.title,
    parent: data.parent ? lookup.page(data.parent, `${path}.parent`) : null,
    properties,
    rows: (data.rows ?? []).map((row, index) =>
      buildRow(row, `${id} ${index}`, properties, lookup, `${path}.rows[${index}]`),
    ),
    created_time,
    last_edited_time: lookup.time(data.last_edited_time, created_time, `${path}.last_edited_time`),
  };
}

function buildRow(
  data: RowSeed,
  name: string,
  properties: Record<string, Property>,
  lookup: Lookup,
  path: string,
): Row {
  const cells = Object.entries(data.properties).map(([key, cell]): [string, Cell] => {
    const property = properties[key];
    if (!property) throw new SeedError(`${path}.properties`, `there is no property "${key}"`);
    return [key, getCell(property, cell, lookup, `${path}.properties.${key}`)];
  });
  return {
    ...getEntry(data, data.id ?? createUuidFromName(`row ${name}`), lookup, path),
    properties: Object.fromEntries(cells),
  };
}

function getCell({ type, options }: Property, cell: Cell, lookup: Lookup, path: string): Cell {
  if (cell === null) return null;
  if (type === "people") return [cell].flat().map((reference) => lookup.person(String(reference), path));
  if (type === "date") return shiftDay(String(cell), lookup.now);
  if (!["select", "status", "multi_select"].includes(type)) return cell;
  const invalidOption = [cell].flat().find((option) => !options.includes(String(option)));
  if (invalidOption !== undefined)
    throw new SeedError(path, `there is no option "${invalidOption}"; there are ${options.join(", ")}`);
  return type === "multi_select" ? [cell].flat().map(String) : cell;
}

/** Days of a seed may be relative to now: "-3d", "+2w". */
function shiftDay(text: string, now: number): string {
  const shift = parsePeriod(text);
  return shift === undefined ? text : new Date(now + shift).toISOString().slice(0, 10);
}

function getEntry(data: PageSeed | RowSeed, id: string, lookup: Lookup, path: string): Entry {
  const created_time = lookup.time(data.created_time, lookup.longAgo, `${path}.created_time`);
  const created_by = data.created_by ? lookup.person(data.created_by, `${path}.created_by`) : lookup.first;
  const blocks = [...(data.blocks ?? []), ...(data.text === undefined ? [] : parseBlocks(data.text))];
  return {
    id,
    blocks: buildBlocks(blocks, id, created_time),
    comments: (data.comments ?? []).map((comment, index) => ({
      id: comment.id ?? createUuidFromName(`comment ${index} of ${id}`),
      author: lookup.person(comment.author, `${path}.comments[${index}].author`),
      text: comment.text,
      created_time: lookup.time(comment.created_time, created_time, `${path}.comments[${index}].created_time`),
    })),
    created_by,
    last_edited_by: data.last_edited_by ? lookup.person(data.last_edited_by, `${path}.last_edited_by`) : created_by,
    created_time,
    last_edited_time: lookup.time(data.last_edited_time, created_time, `${path}.last_edited_time`),
    in_trash: data.in_trash ?? false,
  };
}

function buildBlocks(blocks: BlockSeed[], parent: string, time: string): Block[] {
  return blocks.map((block, index) => {
    const id = block.id ?? createUuidFromName(`block ${index} of ${parent}`);
    const created_time = block.created_time ?? time;
    return {
      id,
      type: block.type,
      value: block.value,
      children: buildBlocks(block.children ?? [], id, created_time),
      created_time,
    };
  });
}

function requireUniqueIds({ users, pages, databases }: NotionState): void {
  const ids = [...users, ...pages, ...databases, ...databases.flatMap(({ rows }) => rows)].map(({ id }) => id);
  requireUniqueValues(ids, () => "pages");
}
