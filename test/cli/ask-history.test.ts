import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useKay } from "#test/kay";

const kay = useKay();

test("N28 prompts typed at a terminal are in the history of sessions; those of pipes and CI are not", async () => {
  const ann = kay({ signedIn: true });
  await ann('ask "what is open in KAY"', { terminal: true });
  await ann('ask "show KAY-1"');
  await ann('ask "show KAY-2"', { terminal: true, env: { CI: "1" } });
  await ann("ask -", { terminal: true, stdin: "show KAY-3" });
  const path = join(ann.folder, "kay/history/default.jsonl");
  expect(readFileSync(path, "utf8")).toBe('"what is open in KAY"\n');
});
