import { expect, test } from "vitest";
import { notion } from "#connectors/notion/notion";
import { httpOver, runTool } from "../support/outside.ts";

const PARENT = "11111111-2222-4333-a444-555555555555";
const PAGE = "99999999-8888-4777-a666-555555555555";

type Piece = { text: { content: string } };
type Block = Record<string, { rich_text?: Piece[]; children?: Block[] } | undefined> & { type: string };

/**
 * A Notion with the real limits: 2,000 characters per piece, 100 blocks per request. `faults` come first, one per
 * write.
 */
function fakeNotion(faults: (Response | undefined)[] = []) {
  const writes: { request: string; children: Block[]; headers: Headers }[] = [];
  const blocks: Block[] = [];
  async function fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const request = `${init.method} ${new URL(url).pathname}`;
    if (init.method === "GET") return Response.json(page(PARENT, "Parent"));
    const { children = [] } = JSON.parse(String(init.body)) as { children?: Block[] };
    const fault = faults.shift();
    if (fault) return fault;
    const isInvalid =
      children.length > 100 ||
      children.some((block) => listPieces(block).some((text) => text.length > 2_000 || !text.isWellFormed()));
    if (isInvalid)
      return Response.json(
        { object: "error", status: 400, code: "validation_error", message: "too long" },
        { status: 400 },
      );
    writes.push({ request, children, headers: new Headers(init.headers) });
    blocks.push(...children);
    if (request === "POST /v1/pages") return Response.json(page(PAGE, "New"));
    return Response.json({
      object: "list",
      results: children.map((_, index) => ({ object: "block", id: `b${index}` })),
    });
  }
  return { fetch, writes, text: () => blocks.map((block) => listPieces(block).join("")) };
}

function page(id: string, title: string) {
  const properties = { title: { id: "title", type: "title", title: [{ plain_text: title }] } };
  return { object: "page", id, url: `https://www.notion.so/${title}-${id.replaceAll("-", "")}`, properties };
}

function listPieces(block: Block): string[] {
  return (block[block.type]?.rich_text ?? []).map(({ text }) => text.content);
}

const busy = () =>
  Response.json(
    { object: "error", status: 429, code: "rate_limited", message: "Slow down" },
    { status: 429, headers: { "retry-after": "1" } },
  );
const conflict = () =>
  Response.json(
    {
      object: "error",
      status: 409,
      code: "conflict_error",
      message: "Conflict occurred while saving. Please try again.",
    },
    { status: 409 },
  );

async function create(world: ReturnType<typeof fakeNotion>, text: string) {
  const { http, pauses } = httpOver(world, notion);
  const { signal } = new AbortController();
  const context = { http, metadata: {}, signal, idempotencyKey: "effect_1", clock: { now: () => 0 } };
  const result = await runTool(notion, "notion.create_page", { parent: PARENT, title: "New", text }, context);
  return { result, pauses };
}

const LONG = `${"a".repeat(1_999)}😀${"b".repeat(2_499)}`;
const PARAGRAPHS = [LONG, ...Array.from({ length: 249 }, (_, index) => `Paragraph ${index + 2} 👩‍👩‍👧`)];

test("V16 a long text arrives whole, in three requests in order, despite a conflict and a rate limit", async () => {
  const world = fakeNotion([conflict(), busy()]);
  const { result, pauses } = await create(world, PARAGRAPHS.join("\n\n"));
  expect(world.writes.map(({ request, children }) => [request, children.length])).toEqual([
    ["POST /v1/pages", 100],
    [`PATCH /v1/blocks/${PAGE}/children`, 100],
    [`PATCH /v1/blocks/${PAGE}/children`, 50],
  ]);
  expect(world.text()).toEqual(PARAGRAPHS);
  expect(world.writes[0]?.children[0] && listPieces(world.writes[0].children[0]).map(({ length }) => length)).toEqual([
    1_999, 2_000, 501,
  ]);
  expect(world.writes.every(({ headers }) => headers.get("notion-version") === "2026-03-11")).toBe(true);
  expect(pauses).toEqual([500, 1_000]);
  expect(result.data).toMatchObject({ title: "New", blocks: 250 });
});

test("V16 a failure in the middle says how much was written, and where", async () => {
  const refused = Response.json(
    { object: "error", status: 400, code: "validation_error", message: "Archived." },
    { status: 400 },
  );
  const world = fakeNotion([undefined, undefined, refused]);
  const failed = create(world, PARAGRAPHS.join("\n\n"));
  await expect(failed).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "Notion: Archived. By then the page “New” had been created, with 200 of 250 blocks written.",
    hint: "Check the page in Notion, and add only what is missing. https://www.notion.so/New-99999999888847778666555555555555".replace(
      "8666",
      "a666",
    ),
    details: { written: 200, total: 250 },
  });
  expect(world.text()).toHaveLength(200);
});

test("V16 a lost answer in the middle is not repeated, and stays an unknown outcome", async () => {
  const world = fakeNotion([undefined, Response.json({ message: "?" }, { status: 502 })]);
  await expect(create(world, PARAGRAPHS.join("\n\n"))).rejects.toMatchObject({
    code: "OUTCOME_UNKNOWN",
    details: { written: 100, total: 250 },
  });
  expect(world.writes).toHaveLength(1);
});

test("V16 pieces, blocks and lists of any length keep every limit and every character", async () => {
  const emoji = "😀".repeat(60_000);
  const code = `\`\`\`js\n${"x".repeat(150_000)}\n\`\`\``;
  const nested = `- outer\n${Array.from({ length: 130 }, (_, index) => `  - inner ${index}`).join("\n")}`;
  const table = `| A | B |\n| --- | --- |\n${Array.from({ length: 150 }, (_, index) => `| ${index} | b |`).join("\n")}`;
  const world = fakeNotion();
  await create(world, [emoji, code, nested, table, "The end."].join("\n\n"));
  const lists = world.writes.flatMap(({ children }) => [
    children,
    ...children.map((block) => block[block.type]?.children ?? []),
  ]);
  expect(Math.max(...lists.map(({ length }) => length))).toBeLessThanOrEqual(100);
  expect(Math.max(...world.writes.map(({ children }) => JSON.stringify(children).length))).toBeLessThan(500_000);
  const paragraphs = world.writes.flatMap(({ children }) => children).filter(({ type }) => type === "paragraph");
  expect(paragraphs.map((block) => listPieces(block).join("")).join("")).toBe(`${emoji}The end.`);
});
