import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { createPartHider } from "#client/api/hide-secrets";
import { configureServices } from "#connectors/catalogue";
import { decideStep } from "#planner/decide-step";
import { loadLanguage } from "#planner/language";
import { finishSteps } from "#planner/steps";
import { redactDocument } from "#protocol/redact";
import { modelTools } from "#test/planner";
import { findGrowth, KINDS, measure, repeatTo } from "#test/work";
import { highlightLines, loadHighlighting } from "#ui/markdown/highlight";
import { createMarkdownWriter } from "#ui/markdown/progressive";
import { formatItem } from "#ui/text/item";
import { formatTranscript, toMarkdown } from "#ui/text/transcript";
import type { Item } from "#ui/view/view";

const look = { width: 80, paint: (_: string, text: string) => `\u001b[1m${text}\u001b[22m`, plain: false, links: true };
const language = await loadLanguage();

/** Other arguments of functions, by parameter name. */
const ARGUMENTS: Record<string, unknown> = {
  look,
  language,
  width: 80,
  max: 60,
  limit: 60,
  names: ["one", "two"],
  options: {},
  field: "body",
  marks: [],
  before: "",
  now: 0,
};

/** A lower cost at 2 kB is nearly linear: 100 kB would take a second. */
const NOTABLE_MS = 0.4;

/** The repeated text does not cause it. */
const END = "\n¶";

type Case = { name: string; run: (text: string) => unknown };

/** Exported functions of these rooms whose first parameter is a text, and whose other parameters are known here. */
const files = globSync("src/{protocol,ui/text,ui/markdown,ui/screen,connectors,planner}/**/*.ts");

async function listCases(file: string): Promise<Case[]> {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const functions = source.statements.filter(ts.isFunctionDeclaration).filter(takesText);
  if (functions.length === 0) return [];
  const loaded = (await import(/* @vite-ignore */ resolve(file))) as Record<string, (...given: unknown[]) => unknown>;
  return functions.map(({ name, parameters }) => {
    const rest = parameters.slice(1).map(({ name: binding }) => ARGUMENTS[binding.getText()]);
    const run = loaded[name?.text ?? ""];
    return { name: `${file} ${name?.text}`, run: (text) => run?.(text, ...rest) };
  });
}

function takesText({ modifiers, parameters }: ts.FunctionDeclaration): boolean {
  const kinds = modifiers?.map(({ kind }) => kind) ?? [];
  const [first, ...rest] = parameters;
  return (
    kinds.includes(ts.SyntaxKind.ExportKeyword) &&
    !kinds.includes(ts.SyntaxKind.AsyncKeyword) &&
    /^string\b/.test(first?.type?.getText() ?? "") &&
    rest.every(({ name, questionToken, initializer }) => questionToken || initializer || name.getText() in ARGUMENTS)
  );
}

const tools = modelTools(configureServices({ clients: {} }).map(({ service }) => service));
const view = (items: Item[]) => ({ items }) as unknown as Parameters<typeof formatTranscript>[0];
const items = (text: string): Item[] =>
  [
    { kind: "message", id: "m", text },
    { kind: "text", id: "t", text },
    { kind: "end", how: "error", text, hint: text },
  ] as unknown as Item[];

/** Functions whose text is inside something else. */
const others: Case[] = [
  { name: "redactDocument", run: (text) => redactDocument({ text, [text]: [text] }) },
  { name: "formatItem", run: (text) => items(text).map((item) => formatItem(item, look)) },
  { name: "formatTranscript", run: (text) => formatTranscript(view(items(text)), look) },
  {
    name: "toMarkdown",
    run: (text) => toMarkdown(view(items(text)), { id: "c", title: text, created_at: text } as never),
  },
  { name: "highlightLines", run: (text) => highlightLines(text.split("\n"), "typescript", [], look) },
  {
    name: "createMarkdownWriter, in pieces",
    run: (text) => {
      const writer = createMarkdownWriter(
        () => look,
        () => {},
      );
      for (let offset = 0; offset < text.length; offset += 20) writer.push(text.slice(offset, offset + 20));
      writer.end();
    },
  },
  ...[[], ["a-token-of-an-access-grant"]].map((secrets) => ({
    name: `createPartHider of ${secrets.length} secrets, in pieces`,
    run: (text: string) => {
      const hider = createPartHider(secrets);
      for (let offset = 0; offset < text.length; offset += 6)
        hider.take({ type: "text-delta", id: "0", delta: text.slice(offset, offset + 6) });
    },
  })),
  {
    name: "decideStep",
    run: (text) =>
      finishSteps(
        decideStep(
          [{ role: "user", content: [{ type: "text", text: `send “${text}” to #general: ${text}` }] }],
          tools,
          language,
          { now: 0, advice: "" },
        ),
      ),
  },
];

test("every function that takes a text takes time in proportion to it", { timeout: 240_000 }, async () => {
  await loadHighlighting();
  const cases = [...(await Promise.all(files.map(listCases))).flat(), ...others];
  expect(cases.length).toBeGreaterThan(100);
  const slow = cases.flatMap(({ name, run }) => {
    const tried = KINDS.map((piece) => ({ piece, cost: measure(run, repeatTo(piece, 2_000, END)) }));
    const worst = tried
      .toSorted((a, b) => b.cost - a.cost)
      .slice(0, 2)
      .filter(({ cost }) => cost > NOTABLE_MS);
    const grown = worst.flatMap(({ piece }) => {
      const growth = findGrowth(run, (length) => repeatTo(piece, length, END));
      return growth === undefined ? [] : [`${name}: ${growth.toFixed(0)} times for ${JSON.stringify(piece)}`];
    });
    return grown.slice(0, 1);
  });
  expect(slow).toEqual([]);
});
